import { asciiBytes, concatBytes, hasBytesAt, latin1, viewOf } from '#core/bytes'

const SIGNATURE = asciiBytes('Apple iOS\0')
const VERSION = 1
const IDENTIFIER_TAG = 0x0011
const ASCII = 2
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
  const text = asciiBytes(`${identifier}\0`)
  const head = new Uint8Array(HEADER_SIZE + 2 + ENTRY_SIZE + 4)
  head.set(SIGNATURE)
  head.set(asciiBytes('MM'), 12)
  const view = viewOf(head)
  view.setUint16(10, VERSION)
  view.setUint16(HEADER_SIZE, 1)
  view.setUint16(HEADER_SIZE + 2, IDENTIFIER_TAG)
  view.setUint16(HEADER_SIZE + 4, ASCII)
  view.setUint32(HEADER_SIZE + 6, text.length)
  view.setUint32(HEADER_SIZE + 10, head.length)
  return concatBytes([head, text, new Uint8Array(PADDING)])
}

/** @returns the identifier in a MakerNote; undefined when it is not Apple's or has none */
export function readIdentifier(note: Uint8Array | undefined): string | undefined {
  if (!note || !hasBytesAt(note, 0, SIGNATURE) || note.length < HEADER_SIZE + 2) return undefined
  const isLittle = latin1(note, 12, 14) === 'II'
  const view = viewOf(note)
  const count = view.getUint16(HEADER_SIZE, isLittle)
  for (let i = 0; i < count; i++) {
    const at = HEADER_SIZE + 2 + i * ENTRY_SIZE
    if (at + ENTRY_SIZE > note.length) return undefined
    if (view.getUint16(at, isLittle) !== IDENTIFIER_TAG) continue
    const length = view.getUint32(at + 4, isLittle)
    const start = view.getUint32(at + 8, isLittle)
    return start + length > note.length
      ? undefined
      : latin1(note, start, start + length).replace(/\0.*$/s, '')
  }
  return undefined
}
