import type { Track } from '@lantern-room/mp4'
import { keyFrameBefore, presentedSeconds } from '@lantern-room/mp4/clip'
import { numberAt } from '@lantern-room/mp4/source'
import type { Region } from './crop'
import { type Cut, FPS, lengthOf } from './cut'
import { bitsOfEncoded } from './encodedBits'
import type { PhotoOptions } from './options'
import { indexOf } from './pictures'

/** What an index and the marks of phones take. */
const OTHER_BYTES = 12_000
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
  const [start, end] = [range.start / FPS, range.end / FPS]
  const bytesOf = (kind: string) =>
    movie.tracks
      .filter((track) => track.kind === kind)
      .reduce((sum, track) => sum + bytesBetween(track, start, end), 0)
  const { keepsSound, speed, crop, repeat, isOriginal } = chosen
  const seconds = lengthOf(range, speed) * repeat
  const copied = bytesOf('video')
  const isCopied = !crop && repeat === 1 && isOriginal
  const sound = keepsSound ? bytesOf('audio') : 0
  const heard = isCopied && speed === 1 ? sound : Math.min(sound, SOUND_BYTES_PER_SECOND * seconds)
  if (isCopied) return copied + heard + OTHER_BYTES
  const isTwice = crop !== undefined || repeat > 1
  const bits = await bitsOfEncoded(file, range, shown, crop, isTwice)
  const pictures = ((range.end - range.start) * repeat) / Math.max(1, speed)
  const encoded =
    bits === undefined ? copied * partOf(crop, shown) * OF_A_COPY * repeat : (bits / 8) * pictures
  return Math.min(encoded, MOST_BYTES_PER_SECOND * (seconds + AHEAD_SECONDS)) + heard + OTHER_BYTES
}

/** Of an encoding of a preview: its quality is higher. */
const OF_PREVIEW = 1.5

/**
 * About how many bytes a clip has of a preview that the service has: the range's share.
 * @param preview its bytes, where they are known, and its frames
 * @returns undefined where that cannot be told
 */
export async function weighPreview(
  { bytes, frames }: { readonly bytes: number | undefined; readonly frames: number },
  range: Cut,
  shown: Pick<Region, 'width' | 'height'>,
  { speed, crop, repeat, isOriginal }: PhotoOptions,
): Promise<number | undefined> {
  if (isOriginal || bytes === undefined) return undefined
  const share = (((range.end - range.start) / frames) * bytes) / Math.max(1, speed)
  return crop || repeat > 1 ? share * partOf(crop, shown) * repeat * OF_PREVIEW : share
}

/** The part of the pixels that stays. */
function partOf(crop: Region | undefined, { width, height }: Pick<Region, 'width' | 'height'>): number {
  return crop ? (crop.width * crop.height) / (width * height) : 1
}

/**
 * About how many bytes a still has, with what is kept of it besides.
 * @param picture of which it is, or one of fewer pixels. @param width of the picture itself
 */
export async function weighStill(picture: ImageBitmap, width: number, crop?: Region): Promise<number> {
  const scale = picture.width / width
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
  const { size } = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.95 })
  return (size / scale ** 2) * (scale < 1 ? OF_SMALLER : 1) + THUMBNAIL_BYTES
}

const THUMBNAIL_BYTES = 15_000
/** A smaller picture takes more bytes for each pixel. */
const OF_SMALLER = 0.8

/** Of the samples that are shown in a range, with those of the pictures before it from which the first ones are predicted. */
function bytesBetween(track: Track, start: number, end: number): number {
  const { samples, kind } = track
  const times = presentedSeconds(track)
  let begin = times.findIndex((time) => time >= start)
  if (begin < 0) return 0
  if (kind === 'video') begin = keyFrameBefore(samples, times, begin, start) ?? begin
  let bytes = 0
  for (let sample = begin; sample < samples.count; sample += 1) {
    if (numberAt(times, sample) < end) bytes += samples.sizes[sample] ?? 0
  }
  return bytes
}
