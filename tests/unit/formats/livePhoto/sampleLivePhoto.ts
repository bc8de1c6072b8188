import { concatBytes } from '@lantern-room/base/bytes'
import { assembleLivePhoto } from '#internal/formats/livePhoto/livePhoto'
import { type ZipFile, zipPieces } from '#internal/formats/zip/zip'
import { sampleParts } from '../motionPhoto/sampleParts'

export const ID = '0BDF4D72-CF5E-4FFA-88F4-70E22B338693'
export const { still, movie } = assembleLivePhoto({ ...sampleParts, identifier: ID })

/** A ZIP of these files, as they are. */
export const zipOf = (...files: readonly ZipFile[]) => concatBytes(zipPieces(files, sampleParts.takenAt))

const files = [
  { name: 'IMG_1.JPG', bytes: still },
  { name: 'IMG_1.MOV', bytes: movie },
]
/** Both in a ZIP, as `IMG_1.JPG` and `IMG_1.MOV`. */
export const livePhotoZip = zipOf(...files)
