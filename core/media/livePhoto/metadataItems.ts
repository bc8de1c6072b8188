import { asciiBytes, latin1, viewOf } from '#core/bytes'
import { type Box, encodeBox, encodeFullBox, onlyBox, readBoxes, uint32s } from '../mp4/boxes'

/** The identifier that a Live Photo's video and photo have in common. */
export const IDENTIFIER_KEY = 'com.apple.quicktime.content.identifier'

const UTF8 = 1

/**
 * QuickTime's metadata of a movie: a box `meta` for `moov`. An item's type is the number of its key, from 1.
 * @see QuickTime File Format, "Metadata"
 */
export function encodeMetadata(items: ReadonlyMap<string, string>): Uint8Array {
  const keys = [...items.keys()].map((key) => encodeBox('mdta', asciiBytes(key)))
  const values = [...items.values()].map((value, index) => {
    const data = encodeBox('data', uint32s(UTF8, 0), new TextEncoder().encode(value))
    return encodeNumbered(index + 1, data)
  })
  return encodeBox(
    'meta',
    encodeFullBox('hdlr', 0, uint32s(0), asciiBytes('mdta'), new Uint8Array(14)),
    encodeFullBox('keys', 0, uint32s(keys.length), ...keys),
    encodeBox('ilst', ...values),
  )
}

/** A box whose type is a number. */
export function encodeNumbered(type: number, body: Uint8Array): Uint8Array {
  const box = encodeBox('    ', body)
  viewOf(box).setUint32(4, type)
  return box
}

/** More keys than any camera writes. */
const MAX_KEYS = 256

/** @returns the text of an item of `moov`'s metadata */
export function readMetadataItem(moov: readonly Box[], key: string): string | undefined {
  const meta = onlyBox(moov, 'meta')
  // MP4's box of this name begins with a version.
  const children = [0, 4]
    .map((start) => (meta && readBoxes(meta.body.subarray(start))) ?? [])
    .find((boxes) => onlyBox(boxes, 'keys'))
  const keys = children && onlyBox(children, 'keys')
  const list = children && onlyBox(children, 'ilst')
  const names = (keys && readBoxes(keys.body.subarray(8))) ?? []
  const index = names.slice(0, MAX_KEYS).findIndex(({ body }) => latin1(body) === key)
  if (!list || index < 0) return undefined
  const item = readBoxes(list.body)?.find(({ type }) => typeNumber(type) === index + 1)
  const data = item && onlyBox(readBoxes(item.body) ?? [], 'data')
  return data && data.body.length >= 8 ? new TextDecoder().decode(data.body.subarray(8)) : undefined
}

function typeNumber(type: string): number {
  return [...type].reduce((number, letter) => number * 256 + letter.charCodeAt(0), 0)
}
