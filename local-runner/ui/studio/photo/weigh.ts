import type { Movie, Track } from '@lantern-room/mp4'
import { keyFrameBefore, presentedSeconds, stepOf } from '@lantern-room/mp4/clip'
import { numberAt } from '@lantern-room/mp4/source'
import type { Region } from './crop'
import { type Cut, FPS, lengthOf } from './cut'
import { bitsOfEncoded, scaleOfPreview } from './encodedBits'
import type { PhotoOptions } from './options'
import { indexOf, type Preview } from './pictures'
import type { ClipPictures } from './rate/clipRate'

/** What an index and the marks of phones take. */
const OTHER_BYTES = 5_000
/** Of sound that is encoded. */
const SOUND_BYTES_PER_SECOND = 15_000
/** The most of the service's encoding, level 3.1, and how many seconds of it may come ahead. */
const MOST_BYTES_PER_SECOND = 14e6 / 8
const AHEAD_SECONDS = 0.35
/** Where the pictures cannot be tried: of the bytes that a copy has, since the service's are smaller. */
const OF_A_COPY = 0.6

/**
 * About how many bytes a clip of a file has.
 * @param shown its size as it is shown
 * @returns undefined of what is no movie
 */
export async function weigh(
  file: File,
  range: Cut,
  shown: Pick<Region, 'width' | 'height'>,
  chosen: PhotoOptions,
): Promise<number | undefined> {
  const movie = await indexOf(file)
  if (!movie) return undefined
  const { speed, crop, repeat } = chosen
  const copied = bytesOf(movie, 'video', range)
  if (isCopied(chosen)) return copied + soundOf(movie, range, chosen, true) + OTHER_BYTES
  const pictures = picturesOf(range, shown, chosen)
  const bits = await bitsOfEncoded(file, range, shown, crop, pictures)
  const encoded = bits === undefined ? copied * partOf(crop, shown) * OF_A_COPY * repeat : bits / 8
  const sound = soundOf(movie, range, chosen, !pictures.isTwice)
  return mostOf(encoded, lengthOf(range, speed) * repeat) + sound + OTHER_BYTES
}

/** As the service bounds what it encodes. */
function mostOf(bytes: number, seconds: number): number {
  return Math.min(bytes, MOST_BYTES_PER_SECOND * (seconds + AHEAD_SECONDS))
}

/** Bytes of a clip's sound. @param mayCopy whether it is copied at the video's own speed; otherwise it is encoded */
function soundOf(
  movie: Movie,
  range: Cut,
  { keepsSound, speed, repeat }: PhotoOptions,
  mayCopy: boolean,
): number {
  const bytes = keepsSound ? bytesOf(movie, 'audio', range) : 0
  if (mayCopy && speed === 1) return bytes
  return Math.min(bytes, SOUND_BYTES_PER_SECOND * lengthOf(range, speed) * repeat)
}

/** The pictures of a clip of the service. */
function picturesOf(
  { start, end }: Cut,
  { width, height }: Pick<Region, 'width' | 'height'>,
  { speed, crop, repeat }: PhotoOptions,
): ClipPictures {
  const scale = scaleOfPreview({ width, height })
  const step = stepOf({ width: width * scale, height: height * scale }, { speed, fps: FPS })
  const frames = (end - start) * repeat
  if (!crop && repeat === 1 && step)
    return { isTwice: false, stride: step, count: frames / step, repeated: 0 }
  const count = Math.round(frames / speed)
  return {
    isTwice: true,
    stride: Math.max(1, Math.round(speed)),
    count,
    repeated: Math.max(0, count - frames),
  }
}

/** Of an encoding of a preview, where its pictures cannot be tried: its quality is higher. */
const OF_PREVIEW = 1.5

/**
 * About how many bytes a clip has of a preview that the service has, of which only parts are read.
 * @param preview undefined where it is not known how large it is. @param frames that it has
 * @returns undefined where that cannot be told
 */
export async function weighPreview(
  preview: Preview | undefined,
  frames: number,
  range: Cut,
  shown: Pick<Region, 'width' | 'height'>,
  chosen: PhotoOptions,
): Promise<number | undefined> {
  if (isCopied(chosen) || !preview) return undefined
  const { speed, crop, repeat } = chosen
  const pictures = { ...picturesOf(range, shown, chosen), isOfPreview: true }
  const movie = await indexOf(preview).catch(() => undefined)
  const share = (((range.end - range.start) / frames) * preview.size) / Math.max(1, speed)
  const part = share * partOf(crop, shown) * repeat * (pictures.isTwice ? OF_PREVIEW : 1)
  if (!movie) return part
  const others = soundOf(movie, range, chosen, repeat === 1) + OTHER_BYTES
  if (!pictures.isTwice) return bytesOf(movie, 'video', range, pictures.stride) + others
  const bits = await bitsOfEncoded(preview, range, shown, crop, pictures)
  return bits === undefined ? part : mostOf(bits / 8, lengthOf(range, speed) * repeat) + others
}

/** The part of the pixels that stays. */
function partOf(crop: Region | undefined, { width, height }: Pick<Region, 'width' | 'height'>): number {
  return crop ? (crop.width * crop.height) / (width * height) : 1
}

/** Of a JPEG of this page, and one that takes as many bytes as the service's. */
const OWN_QUALITY = 0.95
const SERVICE_QUALITY = 0.88
const THUMBNAIL_QUALITY = 0.7
/** Longest side of a thumbnail. */
const THUMBNAIL_SIDE = 320
/** A smaller picture takes more bytes for each pixel. */
const OF_SMALLER = 0.8

/**
 * About how many bytes a still has, with its thumbnail.
 * @param picture of which it is, or one of fewer pixels. @param width of the picture itself
 */
export async function weighStill(picture: ImageBitmap, width: number, chosen: PhotoOptions): Promise<number> {
  const scale = picture.width / width
  const { crop } = chosen
  const part = crop && {
    x: crop.x * scale,
    y: crop.y * scale,
    width: crop.width * scale,
    height: crop.height * scale,
  }
  const shown = part ?? { x: 0, y: 0, width: picture.width, height: picture.height }
  const canvas = new OffscreenCanvas(Math.ceil(shown.width), Math.ceil(shown.height))
  canvas.getContext('2d')?.drawImage(picture, -shown.x, -shown.y)
  picture.close()
  const size = await jpegBytes(canvas, isCopied(chosen) ? OWN_QUALITY : SERVICE_QUALITY)
  const small = Math.min(1, THUMBNAIL_SIDE / Math.max(canvas.width, canvas.height))
  const thumbnail = new OffscreenCanvas(Math.ceil(canvas.width * small), Math.ceil(canvas.height * small))
  thumbnail.getContext('2d')?.drawImage(canvas, 0, 0, thumbnail.width, thumbnail.height)
  return (size / scale ** 2) * (scale < 1 ? OF_SMALLER : 1) + (await jpegBytes(thumbnail, THUMBNAIL_QUALITY))
}

async function jpegBytes(canvas: OffscreenCanvas, quality: number): Promise<number> {
  return (await canvas.convertToBlob({ type: 'image/jpeg', quality })).size
}

/** Whether the clip has the source's own pictures: then the page makes the photo where it can. */
function isCopied({ crop, repeat, isOriginal }: PhotoOptions): boolean {
  return !crop && repeat === 1 && isOriginal
}

/** Of all tracks of a kind, in a range. @param stride 2: of the pictures only every second one */
function bytesOf(movie: Movie, kind: Track['kind'], { start, end }: Cut, stride = 1): number {
  return movie.tracks
    .filter((track) => track.kind === kind)
    .reduce((sum, track) => sum + bytesBetween(track, start / FPS, end / FPS, stride), 0)
}

/** Of the samples that are shown in a range, with those of the pictures before it from which the first ones are predicted. */
function bytesBetween(track: Track, start: number, end: number, stride: number): number {
  const { samples, kind } = track
  const times = presentedSeconds(track)
  let begin = times.findIndex((time) => time >= start)
  if (begin < 0) return 0
  if (kind === 'video') begin = keyFrameBefore(samples, times, begin, start) ?? begin
  let bytes = 0
  for (let sample = begin; sample < samples.count; sample += 1) {
    if (numberAt(times, sample) < end && sample % stride === 0) bytes += samples.sizes[sample] ?? 0
  }
  return bytes
}
