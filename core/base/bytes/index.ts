/** Bytes in memory, and as they arrive. @see core/base/README.md */

export { createByteBuffer } from './byteBuffer'
export { ByteQueue } from './byteQueue'
export { type ByteStream, CLOSED_FLOW, type DatagramFlow } from './byteStream'
export {
  asciiBytes,
  concatBytes,
  equalBytes,
  fromHex,
  hasBytesAt,
  latin1,
  parseJson,
  sizedStream,
  toHex,
  viewOf,
} from './bytes'
