import { type ByteSource, bytesSource, FormatError, joinSources } from '@lantern-room/mp4/source'
import { zipOf } from '../zip/zip'
import { EARLIEST } from './readZip'

/** A bundle has a photo, a video, and a property list. */
const MAX_FILES = 100
/** A ZIP cannot be larger than 4 GiB. */
const MAX_BYTES = 4e9

/**
 * Whether a folder of this name is one that a Mac shows as a Live Photo.
 * @example
 * isBundleName('holiday/IMG_0001.pvt') // true
 */
export function isBundleName(path: string): boolean {
  return /[^/\\]\.pvt[/\\]?$/i.test(path)
}

/**
 * The files of a bundle as a ZIP that is never written: what reads a ZIP with a Live Photo reads a bundle, too. Hidden files
 * are left out. Check sums are 0, since nothing here compares them.
 * @param open opens the file of this name
 * @throws FormatError `no-live-photo` when the files are not those of a bundle; what `open` throws
 * @example
 * const source = await openBundle(await readdir(folder), (name) => openFile(join(folder, name)))
 */
export async function openBundle(
  names: readonly string[],
  open: (name: string) => Promise<ByteSource>,
): Promise<ByteSource> {
  const shown = names.filter((name) => !name.startsWith('.'))
  if (shown.length === 0) throw noBundle('no files')
  if (shown.length > MAX_FILES) throw noBundle(`more than ${MAX_FILES} files`)
  const files = await Promise.all(shown.map(open))
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) throw noBundle('more than 4 GB')
  const members = files.map((file, i) => ({ name: shown[i] ?? '', size: file.size, crc: 0, pieces: [file] }))
  const parts = zipOf(members, EARLIEST)
  return joinSources(parts.map((part) => (part instanceof Uint8Array ? bytesSource(part) : part)))
}

function noBundle(what: string): FormatError {
  return new FormatError('no-live-photo', `The folder has ${what}: it is no Live Photo.`)
}
