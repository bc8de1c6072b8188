import { sliceTrack } from '#core/formats/mp4/encodeTrack'
import type { Chunk } from '#core/formats/mp4/interleave'
import { readSamples } from '#core/formats/mp4/readSamples'
import type { Track } from '#core/formats/mp4/track'
import { type FilledTrack, writeMovie } from '#core/formats/mp4/writeMovie'
import type { ByteSource } from '#core/formats/source/byteSource'

/** Samples `first` up to `end` (not included) of a track. */
export type TrackRange = { readonly track: Track; readonly first: number; readonly end: number }

/** Half a second of pictures or sound each: enough for a read to be worth its while, and little enough to be held in memory. */
const CHUNKS_AT_ONCE = 16

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
  for (let at = 0; at < chunks.length; at += CHUNKS_AT_ONCE) {
    const batch = chunks.slice(at, at + CHUNKS_AT_ONCE)
    const read = await readSamples(
      source,
      batch.flatMap((chunk) =>
        isSound(chunk)
          ? []
          : [{ samples: track.samples, first: first + chunk.first, end: first + chunk.end }],
      ),
    )
    for (const chunk of batch) {
      yield* (isSound(chunk) ? sound?.samples.slice(chunk.first, chunk.end) : read.shift()) ?? []
    }
  }
}

function isSound({ track }: Chunk): boolean {
  return track === 1
}
