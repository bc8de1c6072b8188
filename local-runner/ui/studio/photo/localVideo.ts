import { cutSource, originOf } from '#core/formats/clip/cutSource'
import type { Movie } from '#core/formats/mp4/movie'
import { surveyMovie } from '#core/formats/mp4/readIndex'
import { blobSource } from '#core/formats/source/byteSource'
import { formatsOf, readCodedStream } from '#core/formats/video/codedStream'
import { timeOfMovie } from '#core/media/capture/readCapture'
import { FPS, type View } from './cut'
import type { Strip } from './records'

/** A file of this device that the browser plays, and whose pictures can be copied into a photo: nothing of it is sent. */
export type LocalVideo = NonNullable<Awaited<ReturnType<typeof openLocal>>>

/** @returns undefined where the file, or this browser, leaves the work to the service */
export async function openLocal(file: File) {
  const address = URL.createObjectURL(file)
  const [survey, video] = await Promise.all([
    surveyMovie(blobSource(file)).catch(() => undefined),
    withPlayer(address, async (player) => ({
      width: player.videoWidth,
      height: player.videoHeight,
      seconds: player.duration,
    })).catch(() => undefined),
  ])
  const isCopied = survey?.movie && !survey.isEncrypted && canBeCopied(survey.movie, file.size)
  if (!isCopied || !video?.width) {
    URL.revokeObjectURL(address)
    return undefined
  }
  return {
    file,
    /** For as long as the page is open or until it is revoked. */
    address,
    /** Pixels, as it is shown. */
    width: video.width,
    height: video.height,
    frames: Math.floor(video.seconds * FPS + 0.01),
    hasSound: survey.movie.tracks.some(({ kind }) => kind === 'audio'),
    time: timeOfMovie(survey.boxes),
  }
}

/** More than that the screen shows otherwise than the photo: a still needs its tones mapped. */
const BITS_OF_A_STILL = 8
/** Of a player and of a cut: they count from the same moment. */
const SAME_ORIGIN_SECONDS = 0.001

/** Whether there is one video in it, of a kind that phones decode. Which of several is meant is for the service to choose. */
function canBeCopied(movie: Movie, fileBytes: number): boolean {
  const [track, ...others] = movie.tracks.filter(({ kind }) => kind === 'video')
  if (!track || others.length > 0 || track.samples.count < 2 || originOf(movie) > SAME_ORIGIN_SECONDS) {
    return false
  }
  const coded = readCodedStream(track.sampleEntry)
  const formats = coded ? formatsOf(coded, coded.sets) : []
  if (formats.some((format) => !format || format.bitDepth > BITS_OF_A_STILL)) return false
  const range = { stream: 0, start: 0, end: Math.min(1, track.durationSeconds), speed: 1 }
  return cutSource(movie, range, fileBytes).cut !== undefined
}

/** Plays a file apart from the page's own player, and lets go of its decoder. @throws Error when the browser cannot play it */
async function withPlayer<T>(address: string, use: (player: HTMLVideoElement) => Promise<T>): Promise<T> {
  const player = document.createElement('video')
  try {
    player.muted = true
    player.preload = 'auto'
    await until(player, 'onloadeddata', () => {
      player.src = address
    })
    return await use(player)
  } finally {
    player.removeAttribute('src')
    player.load()
  }
}

function seek(video: HTMLVideoElement, seconds: number): Promise<void> {
  return until(video, 'onseeked', () => {
    video.currentTime = seconds
  })
}

function until(video: HTMLVideoElement, event: 'onloadeddata' | 'onseeked', act: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    video[event] = () => resolve()
    video.onerror = () => reject(new Error(video.error?.message))
    act()
  })
}

/** A JPEG of the picture that is shown at a moment, at its full size, and a small one. @throws Error */
export async function takeStill({ address }: LocalVideo, seconds: number, side: number, maxBytes: number) {
  return withPlayer(address, async (video) => {
    await seek(video, seconds)
    const { videoWidth: width, videoHeight: height } = video
    const cover = await jpegOf(video, width, height, 0.95)
    const scale = Math.min(1, side / Math.max(width, height))
    const small = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))] as const
    for (const quality of [0.8, 0.5, 0.2]) {
      const thumbnail = await jpegOf(video, ...small, quality)
      if (thumbnail.length <= maxBytes) return { cover, thumbnail }
    }
    throw new Error('The thumbnail is too large.')
  })
}

async function jpegOf(video: HTMLVideoElement, width: number, height: number, quality: number) {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  canvas.getContext('2d')?.drawImage(video, 0, 0, width, height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
  if (!blob) throw new Error('The picture is too large for this browser.')
  return new Uint8Array(await blob.arrayBuffer())
}

const TILES = 16
const TILE_HEIGHT = 90

/** How the tiles of a local video's filmstrip lie. */
export function localStrip({ width, height, frames }: LocalVideo): Strip {
  const tileWidth = Math.max(1, Math.round((width / height) * TILE_HEIGHT))
  return {
    tile_width: tileWidth,
    tile_height: TILE_HEIGHT,
    row_height: TILE_HEIGHT,
    tiles: TILES,
    interval: frames / FPS / TILES,
  }
}

/** Draws the tiles of a stretch of the video one after the other, and tells of each. */
export async function drawLocalStrip(
  local: LocalVideo,
  { from, to }: View,
  canvas: HTMLCanvasElement,
  signal: AbortSignal,
  onTile: () => void,
): Promise<void> {
  const { tile_width: width, tiles } = localStrip(local)
  canvas.width = width
  canvas.height = TILE_HEIGHT * tiles
  await withPlayer(local.address, async (video) => {
    for (let tile = 0; tile < tiles && !signal.aborted; tile += 1) {
      await seek(video, (from + ((tile + 0.5) / tiles) * (to - from)) / FPS)
      canvas.getContext('2d')?.drawImage(video, 0, tile * TILE_HEIGHT, width, TILE_HEIGHT)
      onTile()
    }
  })
}
