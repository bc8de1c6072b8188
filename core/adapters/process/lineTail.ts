import { StringDecoder } from 'node:string_decoder'

/** A line without an end is cut here, so that it cannot fill the memory. */
const MAX_LINE_LENGTH = 8192

/**
 * Splits a program's output into lines and keeps the last ones.
 * @param maxLength of the text to keep, in UTF-16 units
 * @param isKept gets each line once, without its end; false drops it
 */
export function lineTail(maxLength: number, isKept: (line: string) => boolean) {
  const decoder = new StringDecoder('utf8')
  let kept = ''
  let begun = ''

  function add(line: string): void {
    if (!isKept(line)) return
    kept += `${line}\n`
    // Shortened rarely, because that copies all of it.
    if (kept.length > 2 * maxLength) kept = lastLines(kept, maxLength)
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
      return lastLines(kept, maxLength).slice(0, -1)
    },
  }
}

/** The whole lines at the end of a text. */
function lastLines(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = text.indexOf('\n', text.length - maxLength - 1)
  return text.slice(start + 1)
}
