import { FPS, type View } from './cut'
import { inWorker } from './inWorker'
import type { Strip } from './records'

/** A file of this device that the browser plays, and whose pictures can be copied into a photo: nothing of it is sent. */
export type LocalVideo = NonNullable<Awaited<ReturnType<typeof openLocal>>>

/** @param onShown takes the player once it shows a picture. @returns undefined where the work is left to the service */
export async function openLocal(file: File, onShown?: (player: HTMLVideoElement) => void) {
  const address = URL.createObjectURL(file)
  const player = createPlayer()
  const isShown = await load(player, address, 'onloadeddata').then(
    () => player.videoWidth > 0,
    () => false,
  )
  if (isShown) onShown?.(player)
  // Only then: it would delay the picture.
  const survey = isShown ? await inWorker('survey', file) : undefined
  const viewer = createViewer(address)
  const close = () => {
    unload(player)
    unload(viewer.video)
    URL.revokeObjectURL(address)
  }
  if (!survey) {
    close()
    return undefined
  }
  return {
    file,
    /** It shows the first picture already. */
    player,
    /** Pixels, as it is shown. */
    width: player.videoWidth,
    height: player.videoHeight,
    frames: Math.floor(player.duration * FPS + 0.01),
    ...survey,
    show: viewer.show,
    close,
  }
}

/** A player apart from the page's own, for one moment at a time: each has a decoder, and keeps a hundred megabytes of pictures. */
export function createViewer(address: string) {
  const video = Object.assign(createPlayer(), { preload: 'metadata' })
  let loaded: Promise<void> | undefined
  let turn: Promise<unknown> = Promise.resolve()
  return {
    video,
    /** @throws Error when the browser cannot show the moment */
    show<T>(seconds: number, use: (video: HTMLVideoElement) => T | Promise<T>): Promise<T> {
      loaded ??= load(video, address, 'onloadedmetadata')
      const used = Promise.all([loaded, turn])
        .then(() => seek(video, seconds))
        .then(() => use(video))
      turn = used.catch(() => undefined)
      return used
    },
  }
}

/** A video element that shows nothing yet. */
export function createPlayer(): HTMLVideoElement {
  const video = document.createElement('video')
  return Object.assign(video, { className: 'player', muted: true, playsInline: true, preload: 'auto' })
}

function load(video: HTMLVideoElement, address: string, event: 'onloadeddata' | 'onloadedmetadata') {
  return until(video, event, () => {
    video.src = address
  })
}

/** Lets go of the file and of its decoder. */
export function unload(video: HTMLVideoElement): void {
  video.removeAttribute('src')
  video.load()
}

/** No picture is presented anew where the video shows that of the moment already. */
const PRESENTED_WITHIN_MS = 200

/** Resolves when the picture can be drawn: a busy browser may say that it has gone there while it has the one before, or none. */
async function seek(video: HTMLVideoElement, seconds: number): Promise<void> {
  const presented = new Promise<void>((resolve) => video.requestVideoFrameCallback?.(() => resolve()))
  await until(video, 'onseeked', () => {
    video.currentTime = seconds
  })
  await Promise.race([presented, new Promise((resolve) => setTimeout(resolve, PRESENTED_WITHIN_MS))])
}

function until(
  video: HTMLVideoElement,
  event: 'onloadeddata' | 'onloadedmetadata' | 'onseeked',
  act: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    video[event] = () => resolve()
    video.onerror = () => reject(new Error(video.error?.message))
    act()
  })
}

/** A JPEG of the picture that is shown at a moment, at its full size, and a small one. @throws Error */
export function takeStill({ show }: LocalVideo, seconds: number, side: number, maxBytes: number) {
  return show(seconds, async (video) => {
    const { videoWidth: width, videoHeight: height } = video
    const picture = canvasOf(video, width, height)
    const cover = await jpegOf(picture, 0.95)
    const scale = Math.min(1, side / Math.max(width, height))
    const small = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))] as const
    for (const quality of [0.8, 0.5, 0.2]) {
      const thumbnail = await jpegOf(canvasOf(picture, ...small), quality)
      if (thumbnail.length <= maxBytes) return { cover, thumbnail }
    }
    throw new Error('The thumbnail is too large.')
  })
}

export function canvasOf(picture: CanvasImageSource, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  canvas.getContext('2d')?.drawImage(picture, 0, 0, width, height)
  return canvas
}

async function jpegOf(canvas: HTMLCanvasElement, quality: number) {
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
  { tile_width: width, tile_height: height, tiles }: Strip,
  { from, to }: View,
  canvas: HTMLCanvasElement,
  signal: AbortSignal,
  onTile: () => void,
): Promise<void> {
  canvas.width = width
  canvas.height = height * tiles
  for (let tile = 0; tile < tiles && !signal.aborted; tile += 1) {
    await local.show((from + ((tile + 0.5) / tiles) * (to - from)) / FPS, async (video) => {
      const picture = await smallPicture(video, width, height).catch(() => video)
      canvas.getContext('2d')?.drawImage(picture, 0, tile * height, width, height)
      if (picture instanceof ImageBitmap) picture.close()
    })
    onTile()
  }
}

/** Where the pictures are put that are made small: one for all, which has eight megabytes of a usual video. */
let pixels: ImageData | undefined

/**
 * What a video shows, small: without a graphics processor a browser keeps the whole of each picture that it draws of a video, but
 * not of one whose pixels it hands out. @throws where it hands out none, as over HTTP, and of turned videos, whose pixels are not turned
 */
async function smallPicture(video: HTMLVideoElement, resizeWidth: number, resizeHeight: number) {
  const frame: VideoFrame & { readonly rotation?: number; readonly flip?: boolean } = new VideoFrame(video)
  try {
    const { width, height } = frame.visibleRect as DOMRectReadOnly
    if (frame.rotation !== 0 || frame.flip) throw new Error('The picture is turned.')
    if (pixels?.width !== width || pixels.height !== height) pixels = new ImageData(width, height)
    await frame.copyTo(pixels.data, { format: 'RGBA' })
    return await createImageBitmap(pixels, { resizeWidth, resizeHeight })
  } finally {
    frame.close()
  }
}
