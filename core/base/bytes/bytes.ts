/**
 * A view of exactly these bytes, even if they are a part of a larger buffer. It reads and writes the same memory.
 * @example const length = viewOf(frame).getUint32(1) // big-endian, as DataView reads
 */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * Joins byte arrays into one new array.
 * @example concatBytes([asciiBytes('Exif\0\0'), tiff])
 */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/**
 * Bytes as hexadecimal digits, two lower-case ones for each.
 * @example toHex(Uint8Array.of(1, 255)) // '01ff'
 */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * The bytes that hexadecimal digits stand for. Other characters give wrong bytes and no error: check text from outside first.
 * @param text pairs of digits, in any case; a single one at the end is ignored
 * @example fromHex('01ff') // Uint8Array.of(1, 255)
 */
export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/**
 * Whether both hold the same bytes. It ends at the first difference, so never compare a secret with it.
 * @example if (!equalBytes(body, FINGERPRINT)) throw mismatch(ANOTHER_KIND)
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** Letter by letter, each letter of a text takes 32 bytes. */
const LONG_TEXT = 256

/**
 * Text of one character per byte, so that it never fails and never changes the length: four-character codes, markers.
 * @param start offset of the first byte. @default 0
 * @param end offset behind the last one, may lie beyond the bytes. @default all bytes
 * @example latin1(head, 4, 8) === 'ftyp'
 */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (Math.min(end, bytes.length) - start > LONG_TEXT)
    return new TextDecoder('utf-16le').decode(Uint16Array.from(bytes.subarray(start, end)))
  let text = ''
  for (let i = start; i < end && i < bytes.length; i++) text += String.fromCharCode(bytes[i] ?? 0)
  return text
}

/**
 * The bytes of a text that is known to be ASCII: the low byte of each character.
 * @example asciiBytes('ftyp') // Uint8Array.of(0x66, 0x74, 0x79, 0x70)
 */
export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
}

/**
 * Whether `bytes` holds `expected` at an offset. Never throws: an offset outside of the bytes gives false.
 * @example hasBytesAt(file, 0, Uint8Array.of(0xff, 0xd8)) // a JPEG begins here
 */
export function hasBytesAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  if (at < 0 || at + expected.length > bytes.length) return false
  return expected.every((byte, i) => bytes[at + i] === byte)
}

/**
 * Parses JSON, from UTF-8 where it is bytes.
 * @returns undefined when it is not JSON; never throws. What it gives is to be checked by a schema
 * @example const { data } = savedRoom.safeParse(parseJson(await readFile(path)))
 */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder().decode(json))
  } catch {
    return undefined
  }
}

/**
 * A stream of so many bytes, each piece of which is read when it is asked for.
 * @param size in bytes
 * @param source.read gets how many bytes are left, and gives at least one of them
 * @param source.close ends the reading: after the last byte, when reading fails, and when the stream is cancelled
 * @param source.asError what the reader gets for an error. @default the error
 * @example
 * sizedStream(size, {
 *   read: (left) => readRange(file, size - left, Math.min(left, 65_536)),
 *   close: () => file.handle.close(),
 * })
 */
export function sizedStream(
  size: number,
  source: {
    read(left: number): Promise<Uint8Array>
    close(): Promise<void> | void
    asError?(error: unknown): unknown
  },
): ReadableStream<Uint8Array> {
  let left = size
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (left > 0) {
            const piece = await source.read(left)
            left -= piece.length
            controller.enqueue(piece)
          }
          // Closed with the last byte: a reader that knows the size does not ask for more.
          if (left > 0) return
          await source.close()
          controller.close()
        } catch (error) {
          await Promise.resolve(source.close()).catch(() => undefined)
          controller.error(source.asError?.(error) ?? error)
        }
      },
      cancel: () => source.close(),
    },
    { highWaterMark: 0 },
  )
}
