import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import { encodeTiff } from '#internal/formats/exif/tiff'
import { hex } from '#support/values/hex'
import { itemPlace } from '../../../support/media/heicFile'

export const sampleTiff = encodeTiff([[{ tag: 0x0132, ascii: '2026:03:04 05:06:07' }]])

/** A HEIC without pixels: its metadata and the box with a movie, as phones write them. */
export function heicOf(parts: {
  readonly xmp: string
  readonly movie: Uint8Array
  readonly itemsIn: 'file' | 'idat'
  /** After the movie, in its box. */
  readonly tail?: Uint8Array
}): Uint8Array {
  const exif = concatBytes([hex('00000006'), asciiBytes('Exif\0\0'), sampleTiff])
  const xmp = asciiBytes(parts.xmp)
  const content = concatBytes([exif, xmp])
  const ftyp = encodeBox('ftyp', asciiBytes('heic'), hex('00000000'), asciiBytes('mif1heic'))
  const isInFile = parts.itemsIn === 'file'
  const mdat = encodeBox('mdat', isInFile ? content : new Uint8Array())
  const base = isInFile ? ftyp.length + 8 : 0
  const method = isInFile ? 0 : 1
  const meta = encodeBox(
    'meta',
    hex('00000000'),
    encodeBox(
      'iinf',
      hex('00000000 0002'),
      encodeBox('infe', hex('02000001 0001 0000'), asciiBytes('Exif\0')),
      encodeBox('infe', hex('02000001 0002 0000'), asciiBytes('mime\0application/rdf+xml\0\0')),
    ),
    encodeBox(
      'iprp',
      encodeBox(
        'ipco',
        encodeBox('ispe', hex('00000000 00000200 00000200')),
        encodeBox('ispe', hex('00000000 00000fa0 00000bb8')),
      ),
    ),
    // Version 1: a construction method for each item; offsets and lengths of 4 bytes.
    encodeBox(
      'iloc',
      hex('01000000 4400 0002'),
      itemPlace(1, method, base, exif.length),
      itemPlace(2, method, base + exif.length, xmp.length),
    ),
    ...(isInFile ? [] : [encodeBox('idat', content)]),
  )
  return concatBytes([ftyp, mdat, meta, encodeBox('mpvd', parts.movie, parts.tail ?? new Uint8Array())])
}
