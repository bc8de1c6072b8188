import { execFile } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { systemCode } from '@lantern-room/base'
import { type Zippable, zipSync } from 'fflate'

/** A file in an archive. */
export type ArchivedFile = {
  /** With slashes; ASCII. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly isExecutable: boolean
  /** What else a tar archive says of it: that it is a folder, a link, or belongs to a user. */
  readonly header?: Readonly<Record<string, string | number>>
}

export function plain(path: string, bytes: Uint8Array = Buffer.alloc(0)): ArchivedFile {
  return { path, bytes, isExecutable: false }
}

export function executable(path: string, bytes: Uint8Array): ArchivedFile {
  return { path, bytes, isExecutable: true }
}

const UNIX = 3

/** The part of the package `tar-stream` that is used here. */
type TarStream = {
  pack(): AsyncIterable<Uint8Array> & { entry(header: object, bytes: Buffer): void; finalize(): void }
}

/** A tar archive in which everything belongs to root, unless said otherwise, and has the same time, so that equal files give equal bytes. */
export async function tar(files: readonly ArchivedFile[], date: Date): Promise<Uint8Array> {
  const packageName: string = 'tar-stream'
  const { pack }: TarStream = await import(packageName)
  const archive = pack()
  for (const { path, bytes, isExecutable, header } of files) {
    const mode = modeOf(isExecutable)
    // Names of users count for more than their numbers.
    const owner = header?.uid === undefined ? 'root' : ''
    const entry = { name: path, mode, mtime: date, uname: owner, gname: owner, ...header }
    archive.entry(entry, Buffer.from(bytes))
  }
  archive.finalize()
  return buffer(archive)
}

/** A zip archive, compressed, with one time for all files. */
export function zip(files: readonly ArchivedFile[], date: Date): Uint8Array {
  // A zip has local times: this one is the same in every time zone.
  const mtime = new Date(date.getTime() + date.getTimezoneOffset() * 60_000)
  const entries: Zippable = {}
  for (const { path, bytes, isExecutable } of files) {
    const attrs = ((0o100000 | modeOf(isExecutable)) << 16) >>> 0
    entries[path] = [bytes, { mtime, os: UNIX, attrs }]
  }
  return zipSync(entries, { level: 9 })
}

function modeOf(isExecutable: boolean): number {
  return isExecutable ? 0o755 : 0o644
}

const MAX_BYTES = 256 * 1024 * 1024

/** xz, which makes 27 MB where gzip makes 40 and takes its level from `XZ_OPT`; Node itself cannot write it. @throws Error in one sentence without `xz` */
export async function xz(bytes: Uint8Array): Promise<Uint8Array> {
  const args = ['--compress', '--stdout', '--threads=1']
  const running = promisify(execFile)('xz', args, { encoding: 'buffer', maxBuffer: MAX_BYTES })
  const { stdin } = running.child
  // How the program has ended says more.
  stdin?.on('error', () => undefined)
  stdin?.end(bytes)
  try {
    return (await running).stdout
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT') throw cause
    throw new Error('The program xz is missing. Install it.', { cause })
  }
}
