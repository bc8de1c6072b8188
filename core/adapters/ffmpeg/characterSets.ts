import { existsSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryNames } from '../objectStore/disk/temporaryNames'

/**
 * An environment in which ffmpeg does not find the system's character sets. A transport stream may name its programmes in
 * one of them, and ffmpeg asks the C library for it, which loads it from a file. Linked statically, as `ffmpeg-static` is,
 * it loads with that file the system's own C library into the same process, and crashes. We need no names.
 *
 * `GCONV_PATH` only adds a folder in front of the library's own. So it is a real folder, whose list says of each
 * character set that it is in a file which does not exist: the first one in the list counts. A folder that is missing
 * would only do where the library's list is split in two, as in Debian 12, and not for the Latin ones even there.
 * @see docs/decisions.md, D36
 * @example spawn(ffmpeg.path, args, { env: { ...process.env, ...(await withoutCharacterSets()) } })
 */
export async function withoutCharacterSets(): Promise<Readonly<Record<string, string>>> {
  // Other systems have another C library, which contains its character sets.
  if (process.platform !== 'linux') return {}
  // Programs that clean temporary folders remove files that are days old.
  if (folder === undefined || !existsSync(await folder)) folder = makeFolder().catch(() => MISSING)
  return { GCONV_PATH: await folder }
}

const MISSING = '/nonexistent'

/** What ffmpeg may ask for (ETSI EN 300 468, annex A), by the names that the C library's modules have. */
const NAMES = [
  ...['ISO_6937', 'EUC-KR', 'EUC-CN', 'BIG5', 'UTF-16', 'UTF-16BE', 'UTF-16LE', 'UNICODE'],
  ...Array.from({ length: 16 }, (_, index) => `ISO-8859-${index + 1}`),
]

/** One per thread. */
let folder: Promise<string> | undefined

async function makeFolder(): Promise<string> {
  // Named after this process, so that the next one can remove it if this one is killed.
  const path = await temporaryNames(tmpdir(), 'lantern-ffmpeg.')()
  await mkdir(path, { mode: 0o700 })
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  await writeFile(
    join(path, 'gconv-modules'),
    NAMES.map((name) => `module ${name}// INTERNAL none 1\n`),
  )
  return path
}
