import { concatBytes } from '@lantern-room/base/bytes'
import { exifOfTime, gpsTags } from '../exif/exif'
import { EXIF_IFD, patchExif } from '../exif/patchExif'
import { readExif } from '../exif/readExif'
import { openTiff } from '../exif/readTiff'
import { encodeDirectory, encodeTiff, type PlainTag, type TiffTag } from '../exif/tiff'
import { DESCRIPTION_TAG, GPS_IFD } from './ownWords'
import type { PhotoWords } from './photoWords'

type ExifWords = Pick<PhotoWords, 'takenAt' | 'place' | 'description'>

const VERSION: TiffTag = { tag: 0x9000, bytes: new TextEncoder().encode('0232') }

/**
 * EXIF with what it did not say: the time, the place, and a description in ASCII. All else stays where it is.
 * @param exif a TIFF structure; undefined where there is none
 * @returns undefined when it is damaged
 */
export function addToExif(exif: Uint8Array | undefined, words: ExifWords): Uint8Array | undefined {
  const { takenAt, place } = words
  const times = takenAt ? exifOfTime(takenAt) : []
  const description = descriptionTags(words)
  if (!exif) {
    return encodeTiff([
      [
        ...description,
        { tag: EXIF_IFD, ifd: [VERSION, ...times] },
        ...(place ? [{ tag: GPS_IFD, ifd: gpsTags(place) }] : []),
      ],
    ])
  }
  const structure = openTiff(exif)
  if (!structure) return undefined
  const gpsAt = exif.length + (exif.length % 2)
  const gps = place
    ? [
        new Uint8Array(exif.length % 2),
        encodeDirectory(gpsTags(place), gpsAt, { hasNext: false, isLittle: structure.isLittle }),
      ]
    : []
  return patchExif(concatBytes([exif, ...gps]), {
    isXiaomi: readExif(exif)?.xiaomiMark !== undefined,
    comment: undefined,
    changesOf: () => ({
      primary: { set: [...description, ...(place ? [{ tag: GPS_IFD, long: gpsAt }] : [])], dropped: [] },
      photo: { set: times, dropped: [] },
    }),
  })
}

/** EXIF has no letters but those of ASCII. */
function descriptionTags({ description }: ExifWords): readonly PlainTag[] {
  const isPlain = description !== undefined && /^[ -~]+$/.test(description)
  return isPlain ? [{ tag: DESCRIPTION_TAG, ascii: description }] : []
}
