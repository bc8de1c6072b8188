/** Pictures that become covers: what they hold, and what of their headers stays. @see core/formats/README.md */

export {
  croppedPlaces,
  joinPlaces,
  type PixelChange,
  type Places,
  SAME_PLACES,
  turnedPlaces,
} from './exif/photoChange'
export { type PlainJpeg, readPlainJpeg } from './exif/plainJpeg'
export { isHeicHead, readHeic } from './heic/heic'
export { type HeicStep, type HeicTurn, shownSize } from './heic/heicSteps'
export { type HeicPicture, readHeicKinds, readHeicPicture } from './heic/readHeicPicture'
export { profileOfCodes } from './icc/codedProfile'
export { joinTiles, splitPictures, tileOf } from './jpeg/filmstrip'
export { encodeSegment, walkJpeg } from './jpeg/jpeg'
export { profileSegments, stripJpeg } from './jpeg/stripJpeg'
export { carryHeader } from './newPhoto/ownHeader'
export { tagSegments } from './newPhoto/tagSegments'
export { readPngTags } from './png/pngTags'
export { readWebpTags } from './webp/webpTags'
