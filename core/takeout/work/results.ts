import { equalBytes } from '@lantern-room/base/bytes'
import type { ByteSource } from '@lantern-room/mp4/source'
import { folded } from '../names/spelling'
import { type Folder, numbered } from './placeWork'

/**
 * Names of results, each of which is given once, without regard to case and accents.
 * @example for (const { name, take } of new ResultNames().free(['2020'], 'IMG_1.jpg')) if (isFree(name)) take()
 */
export class ResultNames {
  readonly #given = new Set<string>();

  /** The names that a file may still have in a folder, the wanted one first. One is given when it is taken. */
  *free(folder: Folder, wanted: string): Generator<{ readonly name: string; take(): void }> {
    for (const name of numbered(wanted)) {
      const key = folded([...folder, name].join('/'))
      if (!this.#given.has(key)) yield { name, take: () => void this.#given.add(key) }
    }
  }
}

/**
 * Whether a file that is there has the bytes of a result.
 * @param size of the result. @param pieces its bytes, one piece after the other
 * @throws what either source throws
 * @example await hasBytesOf(there, sizeOfParts(parts), bytesOfParts(parts, source))
 */
export async function hasBytesOf(
  there: ByteSource,
  size: number,
  pieces: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  if (there.size !== size) return false
  let at = 0
  for await (const piece of pieces) {
    if (!equalBytes(piece, await there.read(at, at + piece.length))) return false
    at += piece.length
  }
  return true
}
