import { latin1, viewOf } from '@lantern-room/base/bytes'
import type { Patch } from '@lantern-room/mp4/source'
import { FormatError, type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { crc32 } from '../zip/zip'

const FIRST_CHUNK = 8
/** Length and type before the data of a chunk, and its check sum behind. */
const CHUNK_BYTES = 12
const CONTROL_BYTES = 26
/** Those of a long animation at half a megabyte a second; a hostile file has a hundred times as many that are empty. */
const MAX_CHUNKS = 200_000
/** Where the delay stands in a frame's control chunk: two 16-bit numbers, of whose quotient it is. */
const DELAY_AT = 20
/** A tenth of a second. */
const SHOWN_DELAY = Uint8Array.of(0, 1, 0, 10)

/**
 * Reads how a PNG moves. A delay of 0 means "as fast as possible"; browsers show such pictures for a tenth of a second, as those
 * of a GIF, and ffmpeg for a fifteenth.
 * @returns whether it moves at all, and what to write over delays of 0 so that every program shows them as browsers do
 * @throws FormatError `too-many-parts` when it has more chunks than any animation
 * @see PNG (Third Edition), 11.3.4.2, "fcTL Frame Control Chunk"
 */
export function* readApng(file: Sized): Reading<{
  readonly isAnimated: boolean
  readonly patches: readonly Patch[]
}> {
  const patches: Patch[] = []
  let isAnimated = false
  let chunks = 0
  for (let at = FIRST_CHUNK; at < file.size; chunks += 1) {
    if (chunks === MAX_CHUNKS)
      throw new FormatError(
        'too-many-parts',
        `The PNG has more than ${MAX_CHUNKS} chunks. Send it as a video.`,
      )
    const head = yield* take(file, at, at + CHUNK_BYTES + CONTROL_BYTES)
    const type = latin1(head, 4, 8)
    isAnimated ||= type === 'acTL'
    if (head.length < CHUNK_BYTES || (!isAnimated && type === 'IDAT')) break
    const delay = head.subarray(8 + DELAY_AT, 8 + DELAY_AT + 2)
    if (type === 'fcTL' && head.length === CHUNK_BYTES + CONTROL_BYTES && delay.every((byte) => byte === 0)) {
      patches.push({ offset: at + 8 + DELAY_AT, bytes: withShownDelay(head) })
    }
    at += CHUNK_BYTES + viewOf(head).getUint32(0)
  }
  return { isAnimated, patches }
}

/** @returns the chunk from its delay on, check sum included */
function withShownDelay(chunk: Uint8Array): Uint8Array {
  const changed = chunk.slice()
  changed.set(SHOWN_DELAY, 8 + DELAY_AT)
  viewOf(changed).setUint32(8 + CONTROL_BYTES, crc32(changed.subarray(4, 8 + CONTROL_BYTES)))
  return changed.subarray(8 + DELAY_AT)
}
