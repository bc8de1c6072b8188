import { viewOf } from '#core/bytes'
import { type Reading, take } from '../source/reading'
import { type BoxHeader, readBoxHeader } from './boxes'

/** A box in a file that is read in parts. */
export type PlacedBox = BoxHeader & { readonly start: number }

/**
 * Reads the header of the box at `start`, which must end at `end` or before.
 * @returns undefined when the header is cut or impossible, or the box is too long
 */
export function* readBoxAt(
  file: { readonly size: number },
  start: number,
  end: number,
): Reading<PlacedBox | undefined> {
  const bytes = yield* take(file, start, Math.min(end, start + 16))
  const header = readBoxHeader(bytes, 0)
  if (!header) return undefined
  // A size of 0 means: to the end, which is not that of these bytes.
  const size = viewOf(bytes).getUint32(0) === 0 ? end - start : header.size
  return start + size > end ? undefined : { ...header, start, size }
}

/** The boxes side by side between `start` and `end`, up to the first that is broken, at most `maxCount`. */
export function* readBoxesBetween(
  file: { readonly size: number },
  { start, end, maxCount }: { readonly start: number; readonly end: number; readonly maxCount: number },
): Reading<readonly PlacedBox[]> {
  const boxes: PlacedBox[] = []
  for (let at = start; at < end && boxes.length < maxCount; ) {
    const box = yield* readBoxAt(file, at, end)
    if (!box) break
    boxes.push(box)
    at += box.size
  }
  return boxes
}
