import { execFile } from 'node:child_process'
import { lstat, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readElf } from '../../layers/ffmpeg/elf.js'
import { type ArchivedFile, executable, plain } from './archives'
import { bundlePrograms, licenceTexts } from './bundles'
import { fetchNode } from './nodeBinaries'
import { hostTarget } from './release'

/** What is in the image for containers. */

const run = promisify(execFile)

/** What Node and ffmpeg need, the shell that limits the memory of ffmpeg, and the small program that asks for the health. */
const DEBIAN_PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6', 'dash', 'busybox-static']
const WANTED = /^((usr\/)?lib(64)?\/.*\.so(\.[\d.]+)?|bin\/(dash|busybox)|usr\/share\/doc\/[^/]+\/copyright)$/
const UNWANTED = /\/(gconv|audit)\//

/** A user that no base system has. */
export const USER = 65_532
export const NODE = '/usr/local/bin/node'

/**
 * Asks at the address that needs no token, past a proxy of the environment. A Node for that would take forty times the time and memory.
 * The time limit is the runtime's: Debian's busybox crashes by its own (`-T`).
 */
export const HEALTH = [
  '/bin/sh',
  '-c',
  'exec busybox wget -q -Y off -O - "http://$MEDIA_METRICS_HOST:$MEDIA_METRICS_PORT/health"',
]

/** @throws Error in one sentence for a program that cannot run in the image */
export async function readFfmpeg(path: string, machine: string): Promise<Uint8Array> {
  const program = await readFile(path).catch((cause: unknown) => {
    throw new Error(
      `There is no ffmpeg at ${path}: run layers/ffmpeg/build-from-source.sh, or name a program with --ffmpeg.`,
      { cause },
    )
  })
  const elf = readElf(program)
  if (elf?.machine === machine && elf.needsOnlySystem) return program
  throw new Error(
    `${path} is no program for ${machine} that needs only the C library. Name another one with --ffmpeg.`,
  )
}

/** Libraries and a shell from Debian, as apt has checked them, Node, and what a system has beside them. */
export async function systemFiles(root: string): Promise<ArchivedFile[]> {
  const { path, licenceText } = await fetchNode(hostTarget(), join(root, 'dist/node-binaries'))
  const users = `root:x:0:0:root:/:/bin/sh\nmedia:x:${USER}:${USER}:media:/data:/bin/sh\n`
  return [
    ...(await debianFiles()),
    { ...plain('bin/sh'), header: { type: 'symlink', linkname: 'dash' } },
    { ...plain('tmp/'), header: { type: 'directory', mode: 0o1777 } },
    { ...plain('data/'), header: { type: 'directory', mode: 0o700, uid: USER, gid: USER } },
    plain('etc/passwd', Buffer.from(users)),
    plain('etc/group', Buffer.from(`root:x:0:\nmedia:x:${USER}:\n`)),
    executable(NODE.slice(1), await readFile(path)),
    plain('usr/share/doc/node/LICENSE', Buffer.from(licenceText ?? '')),
  ]
}

async function debianFiles(): Promise<ArchivedFile[]> {
  const work = await mkdtemp(join(tmpdir(), 'lantern-room-image-'))
  try {
    await run('apt-get', ['download', ...DEBIAN_PACKAGES], { cwd: work }).catch((cause: unknown) => {
      throw new Error('The libraries come from Debian: run this on Debian, after `apt-get update`.', {
        cause,
      })
    })
    const unpacked = join(work, 'unpacked')
    for (const name of (await readdir(work)).filter((file) => file.endsWith('.deb')).sort())
      await run('dpkg-deb', ['-x', name, unpacked], { cwd: work })
    const names = (await readdir(unpacked, { recursive: true })).sort()
    const wanted = names.filter((name) => WANTED.test(name) && !UNWANTED.test(name))
    return await Promise.all(wanted.map((name) => fileOrLink(unpacked, name)))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function fileOrLink(folder: string, name: string): Promise<ArchivedFile> {
  const path = join(folder, name)
  const found = await lstat(path)
  if (found.isSymbolicLink())
    return { ...plain(name), header: { type: 'symlink', linkname: await readlink(path) } }
  return { path: name, bytes: await readFile(path), isExecutable: (found.mode & 0o100) > 0 }
}

/** The program and its licences. */
export async function appFiles(root: string, date: Date): Promise<ArchivedFile[]> {
  const { programs, components } = await bundlePrograms(root, date)
  return [
    plain('app/lantern-room.cjs', programs['lantern-room']),
    plain('app/LICENSE', await readFile(join(root, 'LICENSE'))),
    plain('app/LICENCES.txt', Buffer.from(licenceTexts(components))),
    plain('usr/share/doc/ffmpeg/COPYING', await readFile(join(root, 'layers/ffmpeg/COPYING'))),
  ]
}
