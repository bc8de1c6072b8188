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
  /** By the sample whose picture is wanted: what takes it, and closes it. */
  let wanted: ReadonlyMap<number, (frame: VideoFrame) => void> = new Map()
  const decoder = new VideoDecoder({
    output: (frame) => {
      const take = wanted.get(frame.timestamp)
      if (take) take(frame)
      else frame.close()
    },
    error: () => undefined,
  })
  const profile = Array.from(avc.bytes.subarray(1, 4), (byte) => byte.toString(16).padStart(2, '0'))
  decoder.configure({ codec: `avc1.${profile.join('')}`, description: avc.bytes, optimizeForLatency: true })

  /** The sample that is shown at a moment, and the key frame from which it is decoded. */
  const placeOf = (seconds: number) => {
    const sample = times.reduce(
      (best, time, at) => (time <= seconds && time > numberAt(times, best) ? at : best),
      0,
    )
    return { sample, first: keyFrameBefore(samples, times, sample, seconds) ?? 0 }
  }
  const decode = async (first: number, takers: typeof wanted) => {
    const end = Math.max(...takers.keys()) + 1
    if (total(samples.sizes.subarray(first, end)) > MAX_CODED_BYTES) return
    wanted = takers
    const [coded = []] = await readSamples(blobSource(file), [{ samples, first, end }])
    coded.forEach((data, at) => {
      decoder.decode(new EncodedVideoChunk({ type: at === 0 ? 'key' : 'delta', timestamp: first + at, data }))
    })
    await decoder.flush()
  }
  const close = () => {
    if (decoder.state !== 'closed') decoder.close()
  }
  const pixelsOf = async (picture: VideoFrame) => {
    const { width = 0, height = 0 } = picture.visibleRect ?? {}
    // Pixels that are not square are a player's to show.
    const isSquare = width === Math.round(display.width) && height === Math.round(display.height)
    if (isSquare) pixels ??= new ImageData(width, height)
    // A browser that ignores `format` would copy the planes of YUV.
    const isCopied = isSquare && picture.allocationSize(RGBA) === pixels?.data.length
    if (isCopied && pixels) await picture.copyTo(pixels.data, RGBA).finally(() => picture.close())
    else picture.close()
    return isCopied ? pixels : undefined
  }
  const read = async (seconds: number) => {
    const { sample, first } = placeOf(seconds)
    let picture: VideoFrame | undefined
    const take = (frame: VideoFrame) => {
      picture = frame
    }
    await decode(first, new Map([[sample, take]]))
    return picture && pixelsOf(picture)
  }
  /** Each run of moments after one key frame is decoded once. @param isRough whether the key frame itself will do */
  const readAll = async (moments: readonly number[], isRough: boolean, use: UsePixels) => {
    for (const [first, run] of runsOf(moments.map(placeOf), isRough)) {
      let used: Promise<unknown> = Promise.resolve()
      const useAt = async (frame: VideoFrame, places: readonly number[]) => {
        const shown = await pixelsOf(frame)
        if (shown) for (const at of places) await use(at, shown)
      }
      const takerOf = (places: readonly number[]) => (frame: VideoFrame) => {
        used = used.then(() => useAt(frame, places))
      }
      await decode(first, new Map(Array.from(run, ([sample, places]) => [sample, takerOf(places)])))
      await used
    }
  }
  return { read, readAll, close }
}

/** @param at the place of its moment in the list */
type UsePixels = (at: number, pixels: ImageData) => Promise<void>

type Place = { readonly sample: number; readonly first: number }

/** By the key frame that they need: samples, and the places in the list at which each is wanted. */
function runsOf(places: readonly Place[], isRough: boolean) {
  const runs = new Map<number, Map<number, number[]>>()
  for (const [at, { sample, first }] of places.entries()) {
    const run = runs.get(first) ?? new Map<number, number[]>()
    const shown = isRough ? first : sample
    runs.set(first, run.set(shown, [...(run.get(shown) ?? []), at]))
  }
  return runs
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
  return inTurn(async () => {
    const pixels = await decoderOf(file)?.read(seconds)
    return pixels && use(pixels)
  })
}

/** Uses those of several moments one after the other, by their places in the list; of those that take a player none. */
export function usePixelsOf(file: File, moments: readonly number[], isRough: boolean, use: UsePixels) {
  return inTurn(async () => decoderOf(file)?.readAll(moments, isRough, use))
}

function decoderOf(file: File) {
  if (last?.name !== nameOf(file)) return undefined
  const track = last.movie.tracks.find(({ kind }) => kind === 'video')
  last.decoder ??= track && createDecoder(file, track)
  return last.decoder
}

function inTurn<T>(task: () => Promise<T>): Promise<T | undefined> {
  const done = turn.then(task).catch(() => undefined)
  turn = done
  return done
}
