import { asciiBytes, concatBytes, hasBytesAt, latin1, viewOf } from '#core/bytes'
import { ASCII, cutEntry, encodeEntry } from './tiff'

const SIGNATURE = asciiBytes('Apple iOS\0')
const VERSION = 1
const IDENTIFIER_TAG = 0x0011
/** Signature, version, byte order. Offsets count from the signature. */
const HEADER_SIZE = 14
const ENTRY_SIZE = 12

/** ImageIO skips a text that reaches to the very end of the note. */
const PADDING = 15

/**
 * A MakerNote as iPhones write it, with nothing but the identifier that the photo and its video have in common.
 * @param identifier a UUID
 * @see exiftool, Apple.pm; docs/motion-photo.md, "Live Photo"
 */
export function encodeMakerNote(identifier: string): Uint8Array {
  return writeIdentifier(EMPTY_NOTE, 0, identifier)
}

/** Signature, version and byte order; a list of no entries, and no further list. */
const EMPTY_NOTE = concatBytes([SIGNATURE, Uint8Array.of(0, VERSION), asciiBytes('MM'), new Uint8Array(6)])

/** Bytes of one value, by the type of its entry. @see TIFF 6.0, section 2 */
const UNIT_SIZES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

/**
 * A MakerNote with another identifier. Everything else that an iPhone has written stays.
 * @param note undefined where there is none
 * @returns undefined when the note is not Apple's, or is cut
 */
export function withIdentifier(note: Uint8Array | undefined, identifier: string): Uint8Array | undefined {
  if (!note) return encodeMakerNote(identifier)
  const count = entryCount(note)
  if (count === undefined || HEADER_SIZE + 2 + count * ENTRY_SIZE + 4 > note.length) return undefined
  return writeIdentifier(note, count, identifier)
}

function writeIdentifier(note: Uint8Array, count: number, identifier: string): Uint8Array {
  const isLittle = isLittleEndian(note)
  const listEnd = HEADER_SIZE + 2 + count * ENTRY_SIZE
  const entries = Array.from({ length: count }, (_, i) =>
    note.slice(HEADER_SIZE + 2 + i * ENTRY_SIZE, HEADER_SIZE + 2 + (i + 1) * ENTRY_SIZE),
  )
  const others = entries.filter((one) => viewOf(one).getUint16(0, isLittle) !== IDENTIFIER_TAG)
  // What follows the list moves by an entry where there was none for the identifier.
  const shift = (others.length + 1 - count) * ENTRY_SIZE
  const text = asciiBytes(`${identifier}\0`)
  const own = encodeEntry(
    { tag: IDENTIFIER_TAG, type: ASCII, count: text.length, value: note.length + shift },
    isLittle,
  )
  const list = [...others.map((one) => moved(one, shift, isLittle)), own].sort(
    (a, b) => viewOf(a).getUint16(0, isLittle) - viewOf(b).getUint16(0, isLittle),
  )
  const head = note.slice(0, HEADER_SIZE + 2)
  viewOf(head).setUint16(HEADER_SIZE, list.length, isLittle)
  return concatBytes([head, ...list, note.subarray(listEnd), text, new Uint8Array(PADDING)])
}

/** @returns undefined when the note is not Apple's, or cut */
function entryCount(note: Uint8Array): number | undefined {
  if (!hasBytesAt(note, 0, SIGNATURE) || note.length < HEADER_SIZE + 2) return undefined
  return viewOf(note).getUint16(HEADER_SIZE, isLittleEndian(note))
}

function isLittleEndian(note: Uint8Array): boolean {
  return latin1(note, 12, 14) === 'II'
}

/** An entry whose value, where it lies outside of it, has moved. */
function moved(entry: Uint8Array, shift: number, isLittle: boolean): Uint8Array {
  const view = viewOf(entry)
  const size = (UNIT_SIZES[view.getUint16(2, isLittle)] ?? 0) * view.getUint32(4, isLittle)
  if (size > 4) view.setUint32(8, (view.getUint32(8, isLittle) + shift) >>> 0, isLittle)
  return entry
}

/** @returns the identifier in a MakerNote; undefined when it is not Apple's or has none */
export function readIdentifier(note: Uint8Array | undefined): string | undefined {
  const found = note && findValue(note, IDENTIFIER_TAG)
  return found && latin1(found.value).replace(/\0.*$/s, '')
}

/** Takes the identifier out of Apple's MakerNote, in place. Whatever else is in it stays where it is. */
export function clearIdentifier(note: Uint8Array): void {
  const found = findValue(note, IDENTIFIER_TAG)
  if (!found) return
  cutEntry(note, HEADER_SIZE, found.at, isLittleEndian(note))
  found.value.fill(0)
}

/** @returns a signed fraction in a MakerNote; NaN when it is not Apple's or has none */
export function readFraction(note: Uint8Array | undefined, tag: number): number {
  const value = note && findValue(note, tag)?.value
  if (!note || !value || value.length < 8) return Number.NaN
  return viewOf(value).getInt32(0, isLittleEndian(note)) / viewOf(value).getInt32(4, isLittleEndian(note))
}

/** Where an entry begins, and a view of its value, which lies outside of it. */
function findValue(note: Uint8Array, tag: number) {
  const isLittle = isLittleEndian(note)
  const view = viewOf(note)
  const count = entryCount(note) ?? 0
  for (let i = 0, at = HEADER_SIZE + 2; i < count && at + ENTRY_SIZE <= note.length; i++, at += ENTRY_SIZE) {
    if (view.getUint16(at, isLittle) !== tag) continue
    const start = view.getUint32(at + 8, isLittle)
    const length = view.getUint32(at + 4, isLittle) * (UNIT_SIZES[view.getUint16(at + 2, isLittle)] ?? 0)
    // An empty text lies in the entry itself.
    if (length < 2 || start + length > note.length) return undefined
    return { at, value: note.subarray(start, start + length) }
  }
  return undefined
}
