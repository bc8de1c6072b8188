import { equalBytes } from '@lantern-room/base/bytes'
import { readIndex } from '@lantern-room/formats'
import { type ByteSource, rangedSource } from '@lantern-room/mp4/source'

const CHUNK_BYTES = 1024 * 1024

type Place = { readonly offset: number; readonly length: number }

/** Whether a film is the clip that a photo has inside: the same bytes, or the same pictures in another container. */
export async function holdsClip(
  photo: ByteSource,
  { offset, length }: Place,
  film: ByteSource,
): Promise<boolean> {
  const clip = partOf(photo, offset, offset + length)
  if (film.size >= length && (await isAlike(clip, film, length))) {
    // What follows the clip in the photo may have been copied with it.
    const end = offset + film.size
    if (
      film.size === length ||
      (end <= photo.size && (await isAlike(partOf(photo, offset, end), film, film.size)))
    )
      return true
  }
  const [own, other] = [await samplesOf(clip), await samplesOf(film)]
  return own !== undefined && own === other
}

function partOf(source: ByteSource, start: number, end: number): ByteSource {
  return rangedSource(end - start, (from, to) => source.read(start + from, start + to))
}

async function isAlike(one: ByteSource, other: ByteSource, length: number): Promise<boolean> {
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    const end = Math.min(length, at + CHUNK_BYTES)
    if (!equalBytes(await one.read(at, end), await other.read(at, end))) return false
  }
  return true
}

/** The sizes of all pictures, by which two films do not agree by chance. */
async function samplesOf(source: ByteSource): Promise<string | undefined> {
  const { movie } = await readIndex(source)
  const track = movie?.tracks.find(({ kind }) => kind === 'video')
  return track && track.samples.count > 1 ? JSON.stringify([...track.samples.sizes]) : undefined
}
