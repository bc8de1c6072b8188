import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NODE_BINARIES, NODE_VERSION, type NodeBinary, type Target } from './nodeBinaries'

const run = promisify(execFile)

/** Node for one target, on this machine. */
export type NodeForTarget = {
  readonly path: string
  /** Licences of Node and of what it contains; the package for Windows lacks them. */
  readonly licenceText: string | undefined
}

/**
 * Downloads Node's binary for a target with npm, from the registry that npm is set to, unless it is in `folder` already.
 * @throws Error when the package is not the pinned one
 */
export async function fetchNode(target: Target, folder: string): Promise<NodeForTarget> {
  const binary = NODE_BINARIES[target]
  const unpacked = join(folder, `${binary.packageName}-${NODE_VERSION}`)
  const found = await readUnpacked(unpacked, binary)
  if (found !== undefined) return found
  await mkdir(folder, { recursive: true })
  const temporary = await mkdtemp(join(folder, 'new-'))
  try {
    const archive = await download(binary, temporary)
    const unneeded = ['include', 'share'].map((name) => `--exclude=package/${name}`)
    await run('tar', ['-xzf', archive, '-C', temporary, ...unneeded])
    await rm(unpacked, { recursive: true, force: true })
    await rename(join(temporary, 'package'), unpacked)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  const fetched = await readUnpacked(unpacked, binary)
  if (fetched === undefined) throw new Error(`the package ${binary.packageName} lacks ${binary.path}`)
  return fetched
}

/** @returns the path of the package's archive, whose bytes are the pinned ones */
async function download({ packageName, integrity }: NodeBinary, folder: string): Promise<string> {
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

async function readUnpacked(folder: string, { path }: NodeBinary): Promise<NodeForTarget | undefined> {
  if (!existsSync(join(folder, path))) return undefined
  const licenceText = await readFile(join(folder, 'LICENSE'), 'utf8').catch(() => undefined)
  return { path: join(folder, path), licenceText }
}
