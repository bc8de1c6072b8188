import { StringDecoder } from 'node:string_decoder'

/** A line without an end is cut here, so that it cannot fill the memory. */
const MAX_LINE_LENGTH = 8192

/**
 * Splits a program's output into lines and keeps the last ones.
 * @param maxBytes of text to keep
 * @param isKept gets each line once, without its end; false drops it
 */
export function lineTail(maxBytes: number, isKept: (line: string) => boolean) {
  const decoder = new StringDecoder('utf8')
  let lines: string[] = []
  let begun = ''
  let bytes = 0

  function add(line: string): void {
    if (!isKept(line)) return
    lines.push(line)
    bytes += Buffer.byteLength(line) + 1
    if (bytes <= 2 * maxBytes) return
    // Shortened rarely, because dropping the first line moves all the others.
    lines = lastLines(lines, maxBytes)
    bytes = lines.reduce((sum, kept) => sum + Buffer.byteLength(kept) + 1, 0)
  }

  function take(text: string): void {
    const parts = (begun + text).split(/\r\n|\r|\n/)
    begun = parts.pop() ?? ''
    for (const part of parts) add(part)
    for (; begun.length >= MAX_LINE_LENGTH; begun = begun.slice(MAX_LINE_LENGTH))
      add(begun.slice(0, MAX_LINE_LENGTH))
  }

  return {
    push: (chunk: Buffer) => take(decoder.write(chunk)),
    /** The last lines that were kept, not more than the limit. */
    end(): string {
      take(decoder.end())
      if (begun !== '') add(begun)
      begun = ''
      return lastLines(lines, maxBytes).join('\n')
    },
  }
}

function lastLines(lines: readonly string[], maxBytes: number): string[] {
  let first = lines.length
  for (let bytes = 0; first > 0; first--) {
    bytes += Buffer.byteLength(lines[first - 1] ?? '') + 1
    if (bytes > maxBytes) break
  }
  return lines.slice(first)
}
