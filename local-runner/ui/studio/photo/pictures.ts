import { equalBytes } from '@lantern-room/base/bytes'
import { type Movie, readIndex, readSamples, type Track, total, UNITY_MATRIX } from '@lantern-room/mp4'
import { keyFrameBefore, presentedSeconds } from '@lantern-room/mp4/clip'
import { type ByteSource, blobSource, numberAt } from '@lantern-room/mp4/source'
import { collect, letGo } from '../../shared/memory'
import type { Samples } from './rate/scaled'
import { shrink } from './shrink'

/** A video that can be read in parts: a file of this device, or a preview that the service has. */
export type Readable = File | Preview
export type Preview = { readonly address: string } & ByteSource

function sourceOf(video: Readable): ByteSource {
  return video instanceof File ? blobSource(video) : video
}

/** What tells one from another. */
export function nameOf(video: Readable): string {
  if (video instanceof File) return [video.name, video.size, video.lastModified].join()
  return video.address
}

const RGBA = { format: 'RGBA' } as const
/** Most coded bytes from a key frame to the picture. For more, as in recordings of a screen, a player needs less memory. */
const MAX_CODED_BYTES = 32e6
/** A decoder that gives nothing for so long gives nothing more: what it was to show takes a player. */
const SILENT_MS = 10_000
/** Whether there was such a decoder: no other is tried. */
let isSilent = false

/**
 * Reads the pixels that a video shows at a moment, always into the same buffer, until it is closed. A decoder takes a third of the memory of
 * a player, and without a GPU a browser keeps every video frame that it draws, but none whose pixels are read.
 * @returns undefined where the browser has no WebCodecs, as over plain HTTP
 * @param isAsCoded whether pixels may be stretched or turned to be shown
 */
function createDecoder(file: Readable, track: Track, isAsCoded: boolean) {
  const { samples, display, avc } = track
  if (typeof VideoDecoder === 'undefined' || !avc || isSilent) return undefined
  const times = presentedSeconds(track)
  let pixels: ImageData | undefined
  let planes: Uint8Array<ArrayBuffer> | undefined
  /** By the sample whose picture is wanted: what takes it, and closes it. */
  let wanted: ReadonlyMap<number, (frame: VideoFrame) => void> = new Map()
  const watch = watchForSilence()
  const decoder = new VideoDecoder({
    output: (frame) => {
      watch.hear()
      const take = wanted.get(frame.timestamp)
      if (take) take(frame)
      else frame.close()
    },
    error: () => undefined,
  })
  const profile = Array.from(avc.bytes.subarray(1, 4), (byte) => byte.toString(16).padStart(2, '0'))
  decoder.configure({ codec: `avc1.${profile.join('')}`, description: avc.bytes, optimizeForLatency: true })

  /** The sample that is shown at a moment, and the key frame from which it is decoded. @param within seconds in which a key frame will do */
  const placeOf = (seconds: number, within = 0): Place => {
    const sample = times.reduce(
      (best, time, at) => (time <= seconds && time > numberAt(times, best) ? at : best),
      0,
    )
    const first = keyFrameBefore(samples, times, sample, seconds) ?? 0
    const farOf = (key: number) => Math.abs((times[key] ?? Number.NaN) - seconds)
    const next = samples.sync.indexOf(1, sample)
    const key = farOf(next) < farOf(first) ? next : first
    return farOf(key) <= within ? { sample: key, first: key } : { sample, first }
  }
  const decode = async (first: number, takers: typeof wanted) => {
    const end = Math.max(...takers.keys()) + 1
    if (total(samples.sizes.subarray(first, end)) > MAX_CODED_BYTES) return
    wanted = takers
    const [coded = []] = await readSamples(sourceOf(file), [{ samples, first, end }])
    coded.forEach((data, at) => {
      decoder.decode(new EncodedVideoChunk({ type: at === 0 ? 'key' : 'delta', timestamp: first + at, data }))
    })
    // The decoder has copies, of which it is not told when they are freed.
    for (const buffer of new Set(coded.map((data) => data.buffer))) letGo(buffer)
    await watch.untilAnswered(decoder.flush())
    collect()
  }
  const stop = () => {
    if (decoder.state !== 'closed') decoder.close()
  }
  const close = () => {
    stop()
    // Not when garbage is collected: of a large picture they are 33 MB.
    letGo(pixels?.data.buffer)
    letGo(planes?.buffer)
  }
  const pixelsOf = async (picture: VideoFrame) => {
    const { width = 0, height = 0 } = picture.visibleRect ?? {}
    pixels ??= new ImageData(width, height)
    // A browser that ignores `format` would copy the planes of YUV.
    if (picture.allocationSize(RGBA) !== pixels.data.length) return undefined
    await picture.copyTo(pixels.data, RGBA)
    return pixels
  }
  /** Luma and chroma as they are coded. */
  const planesOf = async (picture: VideoFrame): Promise<Planes | undefined> => {
    const { format, visibleRect } = picture
    if (!visibleRect || (format !== 'I420' && format !== 'NV12')) return undefined
    planes ??= new Uint8Array(picture.allocationSize())
    return planesIn(planes, await picture.copyTo(planes), visibleRect)
  }
  /** Takes the picture. Pixels that are not square are a player's to show. */
  const readOf = async <T>(picture: VideoFrame, read: Read<T>) => {
    const { width, height } = picture.visibleRect ?? {}
    const isSquare = width === Math.round(display.width) && height === Math.round(display.height)
    try {
      return isSquare || isAsCoded ? await read(picture) : undefined
    } finally {
      picture.close()
    }
  }
  const read = async (seconds: number) => {
    const { sample, first } = placeOf(seconds)
    let picture: VideoFrame | undefined
    const take = (frame: VideoFrame) => {
      picture = frame
    }
    await decode(first, new Map([[sample, take]]))
    const read = picture && (await readOf(picture, pixelsOf))
    stop()
    return read
  }
  /** Each run of moments after one key frame is decoded once. @param within as for `placeOf` */
  const readAll = async <T>(moments: readonly number[], within: number, use: Use<T>, read: Read<T>) => {
    for (const [first, run] of runsOf(moments.map((moment) => placeOf(moment, within)))) {
      let used: Promise<unknown> = Promise.resolve()
      const useAt = async (frame: VideoFrame, places: readonly number[]) => {
        const shown = await readOf(frame, read)
        if (shown !== undefined) for (const at of places) await use(at, shown)
      }
      const takerOf = (places: readonly number[]) => (frame: VideoFrame) => {
        used = used.then(() => useAt(frame, places))
      }
      await decode(first, new Map(Array.from(run, ([sample, places]) => [sample, takerOf(places)])))
      await used
    }
  }
  return { read, readAll, planesOf, close }
}

/** Gives up a decoder of which nothing is heard for long: a driver may hang without an error. */
function watchForSilence() {
  let timer: ReturnType<typeof setTimeout> | undefined
  let giveUp = () => {}
  const hear = () => {
    clearTimeout(timer)
    timer = setTimeout(() => giveUp(), SILENT_MS)
  }
  const untilAnswered = <T>(answer: Promise<T>): Promise<T> => {
    const silence = new Promise<never>((_, reject) => {
      giveUp = () => {
        isSilent = true
        reject(new Error('The decoder does not answer.'))
      }
    })
    hear()
    return Promise.race([answer, silence]).finally(() => clearTimeout(timer))
  }
  return { hear, untilAnswered }
}

type Read<T> = (picture: VideoFrame) => Promise<T | undefined>

/** @param at the place of its moment in the list */
type Use<T> = (at: number, value: T) => Promise<void>

type Planes = readonly [Samples, Samples, Samples]

/** Both planes of chroma lie apart, or between each other. */
function planesIn(
  data: Uint8Array,
  [luma, blue, red]: readonly PlaneLayout[],
  { width, height }: DOMRectReadOnly,
): Planes | undefined {
  if (!luma || !blue) return undefined
  const half = { data, width: Math.ceil(width / 2), height: Math.ceil(height / 2), step: red ? 1 : 2 }
  return [
    { data, width, height, at: luma.offset, step: 1, stride: luma.stride },
    { ...half, at: blue.offset, stride: blue.stride },
    { ...half, at: red ? red.offset : blue.offset + 1, stride: (red ?? blue).stride },
  ]
}

type Place = { readonly sample: number; readonly first: number }

/** By the key frame that they need: samples, and the places in the list at which each is wanted. */
function runsOf(places: readonly Place[]) {
  const runs = new Map<number, Map<number, number[]>>()
  for (const [at, { sample, first }] of places.entries()) {
    const run = runs.get(first) ?? new Map<number, number[]>()
    runs.set(first, run.set(sample, [...(run.get(sample) ?? []), at]))
  }
  return runs
}

/** The index that was read last: an hour's takes its time, and megabytes, to be read. */
let last: { readonly name: string; readonly movie: Movie } | undefined

export function keepIndex(file: Readable, movie: Movie): void {
  last = { name: nameOf(file), movie }
}

/** The index of a file, which is kept in place of the one before. @returns undefined for what is no movie */
export async function indexOf(file: Readable): Promise<Movie | undefined> {
  if (last?.name === nameOf(file)) return last.movie
  const { movie } = await readIndex(sourceOf(file))
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
  return withDecoder(file, async (decoder) => {
    const pixels = await decoder.read(seconds)
    return pixels && use(pixels)
  })
}

/**
 * Uses small pictures of several moments one after the other, by their places in the list; of those that take a player none.
 * @param within seconds in which a key frame will do
 */
export function useTilesOf(
  file: File,
  moments: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
  within: number,
  use: Use<ImageData>,
) {
  const read = (picture: VideoFrame) => shrink(picture, width, height)
  return withDecoder(file, (decoder) => decoder.readAll(moments, within, use, read))
}

/** Uses the planes of several moments, also of a video that is turned or stretched to be shown: as they are coded, until the next ones are. */
export function usePlanes(file: Readable, moments: readonly number[], use: Use<Planes>) {
  return withDecoder(file, (decoder) => decoder.readAll(moments, 0, use, decoder.planesOf), true)
}

type Decoder = NonNullable<ReturnType<typeof createDecoder>>

/**
 * Has a decoder for one task, and none between them: with the pixels it takes as much memory as the player.
 * @param isAsCoded whether the video may be one that is not shown as it is coded
 */
function withDecoder<T>(
  file: Readable,
  task: (decoder: Decoder) => Promise<T>,
  isAsCoded = false,
): Promise<T | undefined> {
  const done = turn
    .then(() => {
      const movie = last?.name === nameOf(file) ? last.movie : undefined
      const track = movie?.tracks.find(({ kind }) => kind === 'video')
      const isShown = track && (isAsCoded || equalBytes(track.display.matrix, UNITY_MATRIX))
      const decoder = isShown ? createDecoder(file, track, isAsCoded) : undefined
      return decoder && task(decoder).finally(decoder.close)
    })
    .catch(() => undefined)
  turn = done
  return done
}
