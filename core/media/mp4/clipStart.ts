import { asciiBytes } from '#core/bytes'
import { encodeBox } from './boxes'

/** How each clip that is written here begins. */

/** `ftyp`, 24 bytes: major brand mp42, minor version 0, compatible with isom and mp42. */
export const CLIP_FILE_TYPE = encodeBox(
  'ftyp',
  asciiBytes('mp42'),
  new Uint8Array(4),
  asciiBytes('isom'),
  asciiBytes('mp42'),
)

/** The empty `free` box between `ftyp` and `moov`. */
export const CLIP_PADDING = encodeBox('free')
