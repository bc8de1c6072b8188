import { asciiBytes, concatBytes, hasBytesAt, latin1, viewOf } from '@lantern-room/base/bytes'
import { readDirectory, removeEntry, withEntries } from './readTiff'
import { ASCII, directoryBytes, encodeEntry, UNIT_SIZES } from './tiff'

const SIGNATURE = asciiBytes('Apple iOS\0')
const VERSION = 1
const IDENTIFIER_TAG = 0x0011
/** Signature, version, byte order; then a directory. Offsets count from the signature. */
const HEADER_SIZE = 14

/** ImageIO skips a text that reaches to the very end of the note. */
const PADDING = 15

/** Signature, version and byte order; a list of no entries, and no further list. */
const EMPTY_NOTE = concatBytes([SIGNATURE, Uint8Array.of(0, VERSION), asciiBytes('MM'), new Uint8Array(6)])

/**
 * A MakerNote as iPhones write it, with nothing but the identifier that the photo and its video have in common.
 * @param identifier a UUID
 * @see exiftool, Apple.pm; docs/motion-photo.md, "Live Photo"
 */
export function encodeMakerNote(identifier: string): Uint8Array {
  return writeIdentifier(EMPTY_NOTE, openNote(EMPTY_NOTE), identifier)
}

/**
 * A MakerNote with another identifier. Everything else that an iPhone has written stays.
 * @param note undefined where there is none
 * @returns undefined when the note is not Apple's, or is cut
 */
export function withIdentifier(note: Uint8Array | undefined, identifier: string): Uint8Array | undefined {
  if (!note) return encodeMakerNote(identifier)
  const opened = openNote(note)
  const isWhole = hasBytesAt(note, 0, SIGNATURE) && opened.directory.end <= note.length
  return isWhole ? writeIdentifier(note, opened, identifier) : undefined
}

function writeIdentifier(
  note: Uint8Array,
  { directory, isLittle }: ReturnType<typeof openNote>,
  identifier: string,
): Uint8Array {
  // What follows the list moves, mostly by an entry where there was none for the identifier.
  const count = new Set([...directory.entries.keys(), IDENTIFIER_TAG]).size
  const shift = HEADER_SIZE + 2 + count * 12 + 4 - directory.end
  const text = asciiBytes(`${identifier}\0`)
  const own = encodeEntry(
    { tag: IDENTIFIER_TAG, type: ASCII, count: text.length, value: note.length + shift },
    isLittle,
  )
  const list = withEntries(note, directory, { added: [own], dropped: [] }, isLittle)
  for (const entry of list) if (entry !== own) moveValue(entry, shift, isLittle)
  return concatBytes([
    note.subarray(0, HEADER_SIZE),
    directoryBytes(list, directory.next, isLittle),
    note.subarray(directory.end),
    text,
    new Uint8Array(PADDING),
  ])
}

/** Of a note that is not Apple's the directory is empty. */
function openNote(note: Uint8Array) {
  const isLittle = latin1(note, 12, 14) === 'II'
  const start = hasBytesAt(note, 0, SIGNATURE) ? HEADER_SIZE : undefined
  return { isLittle, directory: readDirectory(note, start, isLittle) }
}

/** Where the value of an entry lies outside of it, that has moved. */
function moveValue(entry: Uint8Array, shift: number, isLittle: boolean): void {
  const view = viewOf(entry)
  const size = (UNIT_SIZES[view.getUint16(2, isLittle)] ?? 0) * view.getUint32(4, isLittle)
  if (size > 4) view.setUint32(8, (view.getUint32(8, isLittle) + shift) >>> 0, isLittle)
}

/** @returns the identifier in a MakerNote; undefined when it is not Apple's or has none */
export function readIdentifier(note: Uint8Array | undefined): string | undefined {
  return (note && openNote(note).directory.text(IDENTIFIER_TAG)) || undefined
}

/** Takes the identifier out of Apple's MakerNote, in place. Whatever else is in it stays where it is. */
export function clearIdentifier(note: Uint8Array): void {
  if (readIdentifier(note)) removeEntry(note, HEADER_SIZE, IDENTIFIER_TAG, openNote(note).isLittle)
}

/** @returns a signed fraction in a MakerNote; NaN when it is not Apple's or has none */
export function readFraction(note: Uint8Array | undefined, tag: number): number {
  const { isLittle, directory } = openNote(note ?? new Uint8Array())
  const value = directory.value(tag)
  if (!value || value.length < 8) return Number.NaN
  return viewOf(value).getInt32(0, isLittle) / viewOf(value).getInt32(4, isLittle)
}
