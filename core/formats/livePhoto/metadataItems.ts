import { asciiBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import { type Box, encodeBox, encodeFullBox, onlyBox, readBoxes, uint32s } from '@lantern-room/mp4/boxes'

/** The identifier that a Live Photo's video and photo have in common. */
export const IDENTIFIER_KEY = 'com.apple.quicktime.content.identifier'

const UTF8 = 1

/** A text, or a value with the number of its well-known type. */
export type MetadataValue = string | readonly [type: number, bytes: Uint8Array]

/**
 * QuickTime's metadata of a movie: a box `meta` for `moov`. An item's type is the number of its key, from 1.
 * @see QuickTime File Format, "Metadata"
 */
export function encodeMetadata(items: ReadonlyMap<string, MetadataValue>): Uint8Array {
  const keys = [...items.keys()].map((key) => encodeBox('mdta', asciiBytes(key)))
  const values = [...items.values()].map((value, index) => {
    const [type, bytes] = typeof value === 'string' ? [UTF8, new TextEncoder().encode(value)] : value
    return encodeNumbered(index + 1, encodeBox('data', uint32s(type, 0), bytes))
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
  const lists = meta && listsIn(meta.body)
  const index = lists ? namesIn(lists.keys).indexOf(key) : -1
  if (!lists || index < 0) return undefined
  const item = readBoxes(lists.items.body)?.find(({ type }) => typeNumber(type) === index + 1)
  const data = item && onlyBox(readBoxes(item.body) ?? [], 'data')
  return data && data.body.length >= 8 ? new TextDecoder().decode(data.body.subarray(8)) : undefined
}

/**
 * The metadata of a movie with one item added or replaced. All others stay.
 * @param meta of `moov`; undefined where there is none
 * @returns a box `meta`; undefined when the one that is there is not of QuickTime's kind, or is damaged
 */
export function withMetadataItem(meta: Box | undefined, key: string, value: string): Uint8Array | undefined {
  if (!meta) return encodeMetadata(new Map([[key, value]]))
  const lists = listsIn(meta.body)
  const items = lists && readBoxes(lists.items.body)
  const keyBoxes = lists && readBoxes(lists.keys.body.subarray(8))
  if (!lists || !items || !keyBoxes || keyBoxes.length > MAX_KEYS) return undefined
  const known = namesIn(lists.keys).indexOf(key)
  const number = known < 0 ? keyBoxes.length + 1 : known + 1
  const added = known < 0 ? [encodeBox('mdta', asciiBytes(key))] : []
  const keys = encodeBox(
    'keys',
    lists.keys.body.subarray(0, 4),
    uint32s(keyBoxes.length + added.length),
    lists.keys.body.subarray(8),
    ...added,
  )
  const data = encodeBox('data', uint32s(UTF8, 0), new TextEncoder().encode(value))
  const others = items.filter(({ type }) => typeNumber(type) !== number)
  const list = encodeBox(
    'ilst',
    ...others.map((box) => bytesOf(lists.items.body, box)),
    encodeNumbered(number, data),
  )
  const replaced = new Map([
    [lists.keys, keys],
    [lists.items, list],
  ])
  const children = lists.boxes.map((box) => replaced.get(box) ?? bytesOf(lists.body, box))
  return encodeBox('meta', meta.body.subarray(0, meta.body.length - lists.body.length), ...children)
}

/** MP4's box of this name begins with a version. */
function listsIn(meta: Uint8Array) {
  for (const body of [meta, meta.subarray(4)]) {
    const boxes = readBoxes(body) ?? []
    const [keys, items] = [onlyBox(boxes, 'keys'), onlyBox(boxes, 'ilst')]
    if (keys && items) return { body, boxes, keys, items }
  }
  return undefined
}

function namesIn({ body }: Box): string[] {
  const keys = readBoxes(body.subarray(8)) ?? []
  return keys.slice(0, MAX_KEYS).map((key) => latin1(key.body))
}

function bytesOf(around: Uint8Array, { start, size }: Box): Uint8Array {
  return around.subarray(start, start + size)
}

function typeNumber(type: string): number {
  return [...type].reduce((number, letter) => number * 256 + letter.charCodeAt(0), 0)
}
