import { asciiBytes } from '#core/bytes'
import { encodeFullBox, uint32s } from '../mp4/boxes'

/** Handler boxes as QuickTime has them: with a component type, and a name that begins with its length. */

/** @param subtype `vide`, `soun` or `meta` */
export function mediaHandler(subtype: string, name: string): Uint8Array {
  return handler('mhlr', subtype, name)
}

/** How the media's samples are found: in this file. */
export function dataHandler(): Uint8Array {
  return handler('dhlr', 'url ', 'DataHandler')
}

function handler(type: string, subtype: string, name: string): Uint8Array {
  return encodeFullBox(
    'hdlr',
    0,
    asciiBytes(type + subtype),
    uint32s(0, 0, 0),
    Uint8Array.of(name.length),
    asciiBytes(name),
  )
}
