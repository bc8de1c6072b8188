import { cleanText } from '@lantern-room/base'

/**
 * A game's text as one plain line: without `§` and the colour or style after it, without control characters.
 * @param maxCharacters code points that are kept
 */
export function plainText(text: string, maxCharacters: number): string {
  // Cut first, so that a megabyte is not searched for the few characters that are shown; a colour takes two
  // characters.
  const line = text
    .slice(0, 8 * maxCharacters)
    .replace(/§.?/gsu, '')
    .replace(/\s+/g, ' ')
  return cleanText(line, maxCharacters)
}
