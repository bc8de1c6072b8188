import { inspectLivePhoto } from '../livePhoto/inspectLivePhoto'
import { isZip } from '../livePhoto/readZip'
import { checkPhotoHead, type Inspection, inspect } from '../motionPhoto/inspect'
import { type Reading, take } from '../reading'

/** Judges a motion photo, or a ZIP with a Live Photo. @throws ServiceError as `inspect` and `inspectLivePhoto` */
export function* inspectFile(file: { readonly size: number }): Reading<Inspection> {
  const head = yield* take(file, 0, 4)
  return yield* isZip(head) ? inspectLivePhoto(file) : inspect(file)
}

/** Refuses a file that cannot be inspected by its first bytes. @throws ServiceError as `checkPhotoHead` */
export function checkInspectedHead(head: Uint8Array): void {
  if (!isZip(head)) checkPhotoHead(head)
}
