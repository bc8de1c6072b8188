import { type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { inspectLivePhoto } from '../livePhoto/inspectLivePhoto'
import { checkPhotoHead, type Inspection, inspect } from '../motionPhoto/inspect'
import { isZip } from '../zip/zipDirectory'

/**
 * Judges a motion photo, or a ZIP with a Live Photo, as the galleries of each phone maker would.
 * @throws FormatError as `inspect` and `inspectLivePhoto`
 * @example
 * const { galleries, pair } = await readFrom(inspectFile(source), source)
 */
export function* inspectFile(file: Sized): Reading<Inspection> {
  return yield* isZip(yield* take(file, 0, 4)) ? inspectLivePhoto(file) : inspect(file)
}

/**
 * Refuses a file that cannot be inspected by its first bytes.
 * @param head twelve bytes are enough
 * @throws FormatError as `checkPhotoHead`
 * @example
 * checkInspectedHead(new Uint8Array(await file.slice(0, 12).arrayBuffer()))
 */
export function checkInspectedHead(head: Uint8Array): void {
  if (!isZip(head)) checkPhotoHead(head)
}
