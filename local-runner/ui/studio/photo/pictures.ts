import { equalBytes } from '@lantern-room/base/bytes'
import { type Movie, readIndex, readSamples, type Track, total, UNITY_MATRIX } from '@lantern-room/mp4'
import { keyFrameBefore, presentedSeconds } from '@lantern-room/mp4/clip'
import { blobSource, numberAt } from '@lantern-room/mp4/source'

const RGBA = { format: 'RGBA' } as const
/** Most coded bytes from a key frame to the picture. For more, as in recordings of a screen, a player needs less memory. */
const MAX_CODED_BYTES = 32e6

/**
 * Reads the pixels that a video shows at a moment, always into the same buffer. A decoder takes a third of the memory of a player,
 * and without a GPU a browser keeps every video frame that it draws, but none whose pixels are read.
 * @returns undefined where the browser has no WebCodecs, as over plain HTTP, and for a video that is not shown as it is coded
 */
function createDecoder(file: File, track: Track) {
  const { samples, display, avc } = track
  if (typeof VideoDecoder === 'undefined' || !avc || !equalBytes(display.matrix, UNITY_MATRIX))
    return undefined
  const times = presentedSeconds(track)
  let pixels: ImageData | undefined
  let wanted = 0
  let picture: VideoFrame | undefined
  const decoder = new VideoDecoder({
    output: (frame) => {
      if (frame.timestamp === wanted) picture = frame
      else frame.close()
    },
    error: () => undefined,
  })
  const profile = Array.from(avc.bytes.subarray(1, 4), (byte) => byte.toString(16).padStart(2, '0'))
  decoder.configure({ codec: `avc1.${profile.join('')}`, description: avc.bytes, optimizeForLatency: true })

  const decode = async (seconds: number) => {
    wanted = times.reduce(
      (best, time, at) => (time <= seconds && time > numberAt(times, best) ? at : best),
      0,
    )
    const first = keyFrameBefore(samples, times, wanted, seconds) ?? 0
    if (total(samples.sizes.subarray(first, wanted + 1)) > MAX_CODED_BYTES) return
    const [coded = []] = await readSamples(blobSource(file), [{ samples, first, end: wanted + 1 }])
    coded.forEach((data, at) => {
      decoder.decode(new EncodedVideoChunk({ type: at === 0 ? 'key' : 'delta', timestamp: first + at, data }))
    })
    await decoder.flush()
  }
  const close = () => {
    if (decoder.state !== 'closed') decoder.close()
  }
  const read = async (seconds: number) => {
    await decode(seconds)
    const { width = 0, height = 0 } = picture?.visibleRect ?? {}
    // Pixels that are not square are a player's to show.
    if (width !== Math.round(display.width) || height !== Math.round(display.height)) return undefined
    pixels ??= new ImageData(width, height)
    // A browser that ignores `format` would copy the planes of YUV.
    if (picture?.allocationSize(RGBA) !== pixels.data.length) return undefined
    await picture.copyTo(pixels.data, RGBA).finally(() => picture?.close())
    return pixels
  }
  return { read, close }
}

/** The index that was read last: an hour's takes its time, and megabytes, to be read. */
let last:
  | { readonly name: string; readonly movie: Movie; decoder?: ReturnType<typeof createDecoder> }
  | undefined
const nameOf = ({ name, size, lastModified }: File) => [name, size, lastModified].join()

export function keepIndex(file: File, movie: Movie): void {
  last?.decoder?.close()
  last = { name: nameOf(file), movie }
}

/** The index of a file, which is kept in place of the one before. @returns undefined for what is no movie */
export async function indexOf(file: File): Promise<Movie | undefined> {
  if (last?.name === nameOf(file)) return last.movie
  const { movie } = await readIndex(blobSource(file))
  if (movie) keepIndex(file, movie)
  return movie
}

/** One picture at a time. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * Uses the pixels that a video shows at a moment.
 * @returns undefined where it takes a player to show them, or where the index of another file was read since
 */
export function usePixels<T>(file: File, seconds: number, use: (pixels: ImageData) => Promise<T>) {
  const used = turn
    .then(() => {
      if (last?.name !== nameOf(file)) return undefined
      const track = last.movie.tracks.find(({ kind }) => kind === 'video')
      last.decoder ??= track && createDecoder(file, track)
      return last.decoder?.read(seconds)
    })
    .then((pixels) => pixels && use(pixels))
    .catch(() => undefined)
  turn = used
  return used
}
