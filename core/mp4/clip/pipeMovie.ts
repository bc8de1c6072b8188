import { sliceTrack } from '../movie/encodeTrack'
import type { Chunk } from '../movie/interleave'
import { readSamples } from '../movie/readSamples'
import { total } from '../movie/sampleTable'
import { type FilledTrack, writeMovie } from '../movie/writeMovie'
import type { ByteSource } from '../source/byteSource'
import type { PictureCut } from './cutPictures'

/** Enough for a read to be worth its while, and little enough to be held in memory. */
const BATCH_BYTES = 4 * 1024 * 1024

/**
 * The pictures of a cut, from the key frame before it, and its sound as an MP4, in pieces as they are read: the pictures of a clip may need
 * more memory than there is.
 * @param source of the pictures
 * @param sound in memory; it is small
 * @throws FormatError `damaged` as `readSamples`; what the source throws
 * @example
 * for await (const piece of pipeMovie(source, cut, sound)) write(piece)
 */
export async function* pipeMovie(
  source: ByteSource,
  { track, group: first, end }: Pick<PictureCut, 'track' | 'group' | 'end'>,
  sound: FilledTrack | undefined,
): AsyncGenerator<Uint8Array> {
  const pictures = sliceTrack(track, first, end)
  const { head, chunks } = writeMovie(sound ? [pictures, sound.track] : [pictures])
  yield head
  for (const batch of inBatches(chunks, pictures.sizes)) {
    const ranges = batch
      .filter((chunk) => !isSound(chunk))
      .map((chunk) => ({ samples: track.samples, first: first + chunk.first, end: first + chunk.end }))
    const read = await readSamples(source, ranges)
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
