import { type MotionPhoto, readNow, readPhoto } from '@lantern-room/formats'
import { isMarked } from '@lantern-room/formats/files'

/** What a file in memory holds; undefined when it is no photo, or nothing in it is of a motion photo. */
export function readMotionPhoto(file: Uint8Array): MotionPhoto | undefined {
  const photo = readNow(readPhoto({ size: file.length }), file)
  return photo && isMarked(photo) ? photo : undefined
}
