import { asciiBytes } from '#core/bytes'
import { encodeBox, encodeFullBox, uint32s } from '../mp4/boxes'

/**
 * Handler boxes as QuickTime has them, with a component type and a name that begins with its length, and in all values as an
 * iPhone 15 writes them: docs/real-files.md, "A Live Photo of an iPhone".
 */

/** @param subtype `vide`, `soun` or `meta` */
export function mediaHandler(subtype: string, name: string): Uint8Array {
  return handler('mhlr', subtype, name, subtype === 'meta' ? 1 : 0)
}

/** How the media's samples are found: in this file. */
export function dataHandler(): Uint8Array {
  return handler('dhlr', 'alis', 'Core Media Data Handler', 0)
}

const SELF_CONTAINED = 1

/** The box `dinf` that belongs to `dataHandler`. */
export function dataInformation(): Uint8Array {
  const reference = encodeFullBox('alis', SELF_CONTAINED)
  return encodeBox('dinf', encodeFullBox('dref', 0, uint32s(1), reference))
}

function handler(type: string, subtype: string, name: string, flags: number): Uint8Array {
  return encodeFullBox(
    'hdlr',
    0,
    asciiBytes(`${type}${subtype}appl`),
    uint32s(flags, 0),
    Uint8Array.of(name.length),
    asciiBytes(name),
  )
}
