/** What other packages may use. @see core/formats/README.md */

export type { MovieTags } from './capture/movieTags'
export { readMovieMarks, readStillMarks } from './capture/pairMarks'
export type { PhotoClocks } from './capture/photoClocks'
export { MAX_THUMBNAIL_BYTES } from './exif/exif'
export {
  croppedPlaces,
  joinPlaces,
  type PixelChange,
  type Places,
  SAME_PLACES,
  turnedPlaces,
} from './exif/photoChange'
export { type PlainJpeg, readPlainJpeg } from './exif/plainJpeg'
export type { Extracted } from './existingPhoto/extract'
export { isHeicHead, readHeic } from './heic/heic'
export { type HeicStep, type HeicTurn, shownSize } from './heic/heicSteps'
export { type HeicPicture, readHeicKinds, readHeicPicture } from './heic/readHeicPicture'
export { profileOfCodes } from './icc/codedProfile'
export { joinTiles, splitPictures, tileOf } from './jpeg/filmstrip'
export { encodeSegment, walkJpeg } from './jpeg/jpeg'
export { profileSegments, stripJpeg } from './jpeg/stripJpeg'
export { isBundleName, openBundle } from './livePhoto/bundleSource'
export { findLivePair } from './livePhoto/inspectLivePhoto'
export { readLiveMovie } from './livePhoto/liveMovie'
export type { LivePhotoParts } from './livePhoto/livePhoto'
export { isZip } from './livePhoto/readZip'
export { openUnpacked } from './livePhoto/unpackZip'
export { wallpaperOf } from './livePhoto/wallpaper'
export { headerOf } from './motionPhoto/imageHeader'
export { checkPhotoHead, PROBLEM_CODES } from './motionPhoto/inspect'
export { METADATA_LOSSES, type MetadataLoss } from './motionPhoto/metadataLoss'
export { googleTimeUs } from './motionPhoto/presentation'
export { isMarked } from './motionPhoto/read'
export { assembleWithMetadata } from './newPhoto/assemble'
export { assembleHeic } from './newPhoto/assembleHeic'
export { appleStops, computeGainMap, encodeGainMap } from './newPhoto/gainMap'
export { carryHeader, keepOwnMetadata } from './newPhoto/ownHeader'
export { carryMapSegments, tagSegments } from './newPhoto/tagSegments'
export { extractFile, stripFile } from './photoFile/extractFile'
export { checkInspectedHead, inspectFile } from './photoFile/inspectFile'
export { repairFile } from './photoFile/repairFile'
export { keptPicture, takeApart } from './photoFile/takeApart'
export { readPngTags } from './png/pngTags'
export {
  GALLERIES,
  MOTION_PHOTO_PROFILES,
  type MotionPhotoProfile,
  motionPhotoProfileNamed,
  PHONE_PROFILES,
} from './profiles/profile'
export { readSourceMark, type SourceMark, withSourceMark } from './sourceMark/sourceMark'
export { type ContainerProblem, containerProblem } from './videoFile/containerProblem'
export { surveyMovie } from './videoFile/surveyMovie'
export { surveyVideo } from './videoFile/surveyVideo'
export { readWebpTags } from './webp/webpTags'
export { zipPieces } from './zip/zip'
