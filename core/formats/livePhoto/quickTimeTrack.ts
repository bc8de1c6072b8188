import { asciiBytes, concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, onlyBox, readBoxes, uint32s } from '@lantern-room/mp4/boxes'

/**
 * Turns a track of an MP4 into one of a QuickTime movie: handlers of QuickTime's form, and sound described by version 1
 * of its description. Samples and times are the same.
 * @param body of a `trak` box
 * @see QuickTime File Format, "Sound Sample Description (Version 1)"
 */
export function quickTimeTrack(body: Uint8Array): Uint8Array {
  return encodeBox('trak', changeChildren(body, { mdia: quickTimeMedia }))
}

type Change = (body: Uint8Array) => Uint8Array

function quickTimeMedia(body: Uint8Array): Uint8Array {
  const handler = onlyBox(readBoxes(body) ?? [], 'hdlr')
  const subtype = latin1(handler?.body ?? new Uint8Array(), 8, 12)
  const name = subtype === 'soun' ? 'Core Media Audio' : 'Core Media Video'
  return changeChildren(body, {
    hdlr: () => mediaHandler(subtype, name).subarray(8),
    minf: quickTimeInformation,
  })
}

function quickTimeInformation(body: Uint8Array): Uint8Array {
  const information = changeChildren(body, {
    dinf: () => dataInformation().subarray(8),
    stbl: (tables) => changeChildren(tables, { stsd: describeSound }),
  })
  const [header, ...rest] = readBoxes(information) ?? []
  if (!header || rest.length === 0) return information
  return concatBytes([information.subarray(0, header.size), dataHandler(), information.subarray(header.size)])
}

/** Changes sample entries of AAC; others stay. */
function describeSound(stsd: Uint8Array): Uint8Array {
  const entries = changeChildren(stsd.subarray(8), { mp4a: soundEntry })
  return concatBytes([stsd.subarray(0, 8), entries])
}

/** Bytes of an audio entry before its boxes. */
const ENTRY_FIELDS = 28
const PCM_PER_FRAME = 1024
/** Compression id -2: frames of different size. */
const VARIABLE_SIZE = 0xfffe

function soundEntry(body: Uint8Array): Uint8Array {
  const esds = onlyBox(readBoxes(body.subarray(ENTRY_FIELDS)) ?? [], 'esds')
  if (!esds) return body
  const fields = body.slice(0, ENTRY_FIELDS)
  const view = viewOf(fields)
  view.setUint16(8, 1) // version
  view.setUint16(20, VARIABLE_SIZE)
  const wave = encodeBox(
    'wave',
    encodeBox('frma', asciiBytes('mp4a')),
    encodeBox('mp4a', uint32s(0)),
    encodeBox('esds', esds.body),
    uint32s(8, 0), // terminator
  )
  return concatBytes([fields, uint32s(PCM_PER_FRAME, 0, 0, 2), wave])
}

/** Boxes side by side, with the bodies of some changed. */
function changeChildren(boxes: Uint8Array, changes: Readonly<Record<string, Change>>): Uint8Array {
  return concatBytes(
    (readBoxes(boxes) ?? []).map(({ type, body, start, size }) => {
      const change = changes[type]
      return change ? encodeBox(type, change(body)) : boxes.subarray(start, start + size)
    }),
  )
}

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
