import type { ByteSource } from '@lantern-room/formats'
import type { Chunk, Track } from '@lantern-room/formats/parts'
import { type FilledTrack, readSamples, sliceTrack, total, writeMovie } from '@lantern-room/formats/parts'
import { refusals } from '#media/formatRefusal'

/** Samples `first` up to `end` (not included) of a track. */
export type TrackRange = { readonly track: Track; readonly first: number; readonly end: number }

/** Enough for a read to be worth its while, and little enough to be held in memory. */
const BATCH_BYTES = 4 * 1024 * 1024

/**
 * An MP4 in pieces as they are read, because the pictures of a clip may need more memory than there is.
 * @param pictures a range of a track of the source
 * @param sound in memory; it is small
 */
export async function* pipeMovie(
  source: ByteSource,
  { track, first, end }: TrackRange,
  sound: FilledTrack | undefined,
): AsyncGenerator<Uint8Array> {
  const pictures = sliceTrack(track, first, end)
  const { head, chunks } = writeMovie(sound ? [pictures, sound.track] : [pictures])
  yield head
  for (const batch of inBatches(chunks, pictures.sizes)) {
    const ranges = batch
      .filter((chunk) => !isSound(chunk))
      .map((chunk) => ({ samples: track.samples, first: first + chunk.first, end: first + chunk.end }))
    const read = await refusals(readSamples(source, ranges))
    for (const chunk of batch) {
      yield* (isSound(chunk) ? sound?.samples.slice(chunk.first, chunk.end) : read.shift()) ?? []
    }
  }
}

function isSound({ track }: Chunk): boolean {
  return track === 1
}

function inBatches(chunks: readonly Chunk[], pictureSizes: Uint32Array): Chunk[][] {
  const batches: Chunk[][] = [[]]
  let room = BATCH_BYTES
  for (const chunk of chunks) {
    const bytes = isSound(chunk) ? 0 : total(pictureSizes.subarray(chunk.first, chunk.end))
    if (bytes > room) {
      batches.push([])
      room = BATCH_BYTES
    }
    batches.at(-1)?.push(chunk)
    room -= bytes
  }
  return batches
}
