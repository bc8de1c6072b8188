import type { Movie } from '@lantern-room/mp4'
import { readMovie, type Track } from '@lantern-room/mp4'
import { previewMp4 } from '#support/media/previewMp4'

/** An MP4 of 90 frames, 30 a second. */
export const file = previewMp4()
const { movie: plain } = readMovie(file)

/** As a range of the movie. */
export const range = (startFrame: number, frames: number, speed = 1) => ({
  stream: 0,
  start: startFrame / 30,
  end: (startFrame + frames) / 30,
  speed,
})

/** The same movie with its video track changed. */
export function movieWith(change: (track: Track) => Partial<Track>): Movie {
  const [track] = plain?.tracks ?? []
  if (!plain || !track) throw new Error('no track')
  return { ...plain, tracks: [{ ...track, ...change(track) }] }
}

/** I P B B in decoding order, shown as I B B P, with a key frame every 12. */
export const reordered = movieWith(({ samples }) => ({
  samples: {
    ...samples,
    compositionOffsets: Int32Array.from({ length: 90 }, (_, index) => [512, 1024, 0][index % 3] ?? 0),
    sync: Uint8Array.from({ length: 90 }, (_, index) => Number(index % 12 === 0)),
  },
  edits: [{ durationSeconds: 3, mediaTime: 512, rate: 1 }],
}))
