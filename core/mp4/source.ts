/** Bytes that are read in parts, files that are made of parts, and how a file is refused. @see core/mp4/README.md */

export { type ByteSource, blobSource, bytesSource, joinSources, rangedSource } from './source/byteSource'
export {
  bytesOfParts,
  type FileParts,
  joinParts,
  type Patch,
  patchedParts,
  piecesOfParts,
  readThrough,
  shiftedParts,
  sizeOfParts,
  withoutSeams,
} from './source/fileParts'
export { FormatError, type FormatErrorCode } from './source/formatError'
export {
  type ByteSpan,
  numberAt,
  numberReader,
  type Outcome,
  type Reading,
  readFrom,
  readNow,
  type Sized,
  take,
  within,
} from './source/reading'
