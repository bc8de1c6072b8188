import { concatBytes, hasBytesAt } from '@lantern-room/base/bytes'
import { EXIF_MARK } from '../exif/exif'
import { APP2, MPF_MARK } from '../exif/mpf'
import { patchExif } from '../exif/patchExif'
import { APP1, encodeSegment, walkJpeg } from '../jpeg/jpeg'
import { MAX_EXIF_BYTES, MAX_XMP_BYTES } from '../motionPhoto/imageHeader'
import type { PictureTags } from '../png/pngTags'
import { XMP_MARK } from '../xmp/xmp'

/**
 * EXIF and XMP as segments of a JPEG. EXIF that has no room loses its thumbnail where it is changed anyway.
 * @param orientation to write into EXIF, 1 to 8. @default its own
 * @returns whole segments, marker and length included, and what has no room or is broken
 * @see CIPA DC-008, 4.7.2; XMP specification, part 3, 1.1.3
 * @example
 * const { segments, lost } = tagSegments(readPngTags(png))
 */
export function tagSegments({ exif, xmp }: Pick<PictureTags, 'exif' | 'xmp'>, orientation?: number) {
  const patched = (thumbnail?: 'none') =>
    exif &&
    patchExif(exif, {
      isXiaomi: false,
      comment: undefined,
      ...(orientation === undefined ? {} : { orientation }),
      thumbnail,
    })
  const whole = orientation === undefined ? exif : patched()
  const kept = whole && whole.length > MAX_EXIF_BYTES ? patched('none') : whole
  const packet = xmp === undefined ? undefined : new TextEncoder().encode(xmp)
  const payloads = [
    { loss: 'exif', mark: EXIF_MARK, wanted: exif, bytes: kept, most: MAX_EXIF_BYTES },
    { loss: 'xmp', mark: XMP_MARK, wanted: packet, bytes: packet, most: MAX_XMP_BYTES },
  ] as const
  const segments = payloads.flatMap(({ mark, bytes: payload, most }) =>
    payload && payload.length <= most ? [encodeSegment(APP1, concatBytes([mark, payload]))] : [],
  )
  const lost = payloads.flatMap(({ loss, wanted, bytes: payload, most }) =>
    wanted && !(payload && payload.length <= most) ? [loss] : [],
  )
  return { segments, lost }
}

/**
 * Gives a gain map that was made anew what the old one says of itself: all APP1 and APP2, except for an index of pictures, whose distances
 * no longer hold.
 * @param from the old map, a JPEG
 * @param to the new map, a JPEG
 * @example
 * const map = carryMapSegments(old, cropped)
 */
export function carryMapSegments(from: Uint8Array, to: Uint8Array): Uint8Array {
  const said = (walkJpeg(from)?.segments ?? []).filter(
    ({ marker, start }) => marker === APP1 || (marker === APP2 && !hasBytesAt(from, start + 4, MPF_MARK)),
  )
  return concatBytes([
    to.subarray(0, 2),
    ...said.map(({ start, end }) => from.subarray(start, end)),
    to.subarray(2),
  ])
}
