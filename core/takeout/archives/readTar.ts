import { latin1 } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

/** A plain file in a tar archive. */
export type TarRecord = {
  readonly name: string
  readonly start: number
  readonly size: number
  readonly modifiedMs: number
}

export type TarListing = {
  readonly records: readonly TarRecord[]
  /** Whether the archive ends before it says so. */
  readonly isCut: boolean
}

const BLOCK = 512
/** Of names and other notes before a file. */
const MAX_NOTE_BYTES = 1024 * 1024
const MAX_RECORDS = 1_000_000
const [LONG_NAME, NOTES, NOTES_FOR_ALL] = ['L', 'x', 'g']

/**
 * Lists the plain files of a tar archive, whatever program wrote it; links, folders and devices are left out.
 * @returns undefined when it does not begin as one
 * @see POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar, "Basic Tar Format"
 * @example
 * const { records = [] } = (await readFrom(readTar(source), source)) ?? {}
 */
export function* readTar(file: Sized): Reading<TarListing | undefined> {
  const records: TarRecord[] = []
  let noted: Notes = {}
  for (let at = 0; records.length < MAX_RECORDS; ) {
    const member = yield* readMember(file, at, noted)
    if (member === 'end') return { records, isCut: false }
    if (member === undefined) return at === 0 ? undefined : { records, isCut: true }
    at = member.next
    noted = member.noted
    if (member.record) records.push(member.record)
  }
  return { records, isCut: true }
}

type Member = {
  /** Where the next one begins. */
  readonly next: number
  /** What was said of that. */
  readonly noted: Notes
  readonly record?: TarRecord
}

/** @returns undefined when there is none, or the archive is cut in it */
function* readMember(file: Sized, at: number, noted: Notes): Reading<Member | 'end' | undefined> {
  const header = yield* take(file, at, at + BLOCK)
  if (header.length < BLOCK) return undefined
  if (header.every((byte) => byte === 0)) return 'end'
  const read = readHeader(header)
  const start = at + BLOCK
  const size = noted.size ?? read?.size ?? 0
  if (!read || start + size > file.size) return undefined
  const next = start + Math.ceil(size / BLOCK) * BLOCK
  if (isNote(read.type)) {
    const bytes = size <= MAX_NOTE_BYTES ? yield* take(file, start, start + size) : new Uint8Array()
    return { next, noted: { ...noted, ...notesOf(read.type, bytes) } }
  }
  if (!PLAIN.includes(read.type)) return { next, noted: {} }
  const name = noted.name ?? read.name
  const modifiedMs = noted.modifiedMs ?? read.modifiedMs
  return { next, noted: {}, record: { name, start, size, modifiedMs } }
}

/** Types of plain files: as of today, of old archives, and of such as lie in one piece. */
const PLAIN: readonly string[] = ['0', '\0', '7']

type Notes = { readonly name?: string; readonly size?: number; readonly modifiedMs?: number }

function isNote(type: string): boolean {
  return type === LONG_NAME || type === 'K' || type === NOTES || type === NOTES_FOR_ALL
}

function readHeader(header: Uint8Array) {
  const size = numberAt(header, 124, 12)
  const sum = numberAt(header, 148, 8)
  if (size === undefined || sum !== checksumOf(header)) return undefined
  const name = textAt(header, 0, 100)
  const prefix = latin1(header, 257, 262) === 'ustar' ? textAt(header, 345, 155) : ''
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size,
    modifiedMs: (numberAt(header, 136, 12) ?? 0) * 1000,
    type: latin1(header, 156, 157),
  }
}

/** The sum of all bytes, of which the sum's own count as spaces. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)
}

/** Octal digits; GNU writes larger ones in base 256. */
function numberAt(header: Uint8Array, at: number, length: number): number | undefined {
  const field = header.subarray(at, at + length)
  if ((field[0] ?? 0) >= 0x80) {
    const value = field.reduce((sum, byte, i) => sum * 256 + (i === 0 ? byte & 0x7f : byte), 0)
    return Number.isSafeInteger(value) ? value : undefined
  }
  const digits = latin1(field).replaceAll(/[\0 ]+/g, '')
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : undefined
}

function textAt(header: Uint8Array, at: number, length: number): string {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end))
}

/** What is said of the file that follows. */
function notesOf(type: string, bytes: Uint8Array): Notes {
  if (type === LONG_NAME) return { name: textAt(bytes, 0, bytes.length) }
  if (type !== NOTES) return {}
  const notes: { name?: string; size?: number; modifiedMs?: number } = {}
  for (const [key, value] of lines(bytes)) {
    if (key === 'path') notes.name = value
    if (key === 'size' && /^\d{1,15}$/.test(value)) notes.size = Number(value)
    if (key === 'mtime' && /^\d{1,12}(?:\.\d*)?$/.test(value))
      notes.modifiedMs = Math.floor(Number(value) * 1000)
  }
  return notes
}

/** Lines of the form `length key=value`, of which the length counts the whole line. */
function* lines(bytes: Uint8Array): Generator<readonly [string, string]> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(latin1(bytes, at, Math.max(at, space)))
    if (space < 0 || !(length > space - at)) return
    const text = new TextDecoder().decode(bytes.subarray(space + 1, at + length - 1))
    const equals = text.indexOf('=')
    if (equals > 0) yield [text.slice(0, equals), text.slice(equals + 1)]
    at += length
  }
}
