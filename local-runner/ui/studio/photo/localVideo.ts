import { RequestProblem } from '../../shared/ask'
import { FPS } from './cut'
import { inWorker, inWorkerByParts } from './inWorker'
import { stillsOf } from './stills'

/** A file of this device that the browser plays, and whose pictures can be copied into a photo: nothing of it is sent. */
export type LocalVideo = NonNullable<Awaited<ReturnType<typeof openLocal>>>

/**
 * @param onShown takes the player once it shows a picture
 * @returns undefined where the work is left to the service
 * @throws RequestProblem of a file that ends before anything can be shown
 */
export async function openLocal(file: File, onShown?: (player: HTMLVideoElement) => void) {
  const address = URL.createObjectURL(file)
  const player = createPlayer()
  const isShown = await load(player, address, 'onloadeddata').then(
    () => player.videoWidth > 0,
    () => false,
  )
  // Otherwise it would go on reading and decode ahead.
  player.preload = 'metadata'
  if (isShown) onShown?.(player)
  // Only then: it would delay the picture.
  const survey = await inWorker('survey', file)
  const viewer = createViewer(address)
  const close = () => {
    unload(player)
    unload(viewer.video)
    URL.revokeObjectURL(address)
  }
  if (!survey || !isShown || survey === 'incomplete') {
    close()
    if (survey === 'incomplete') throw new RequestProblem('unsupported-media', 'The file ends too early.')
    return undefined
  }
  return {
    file,
    /** It shows the first picture already. */
    player,
    /** Pixels, as it is shown. */
    width: player.videoWidth,
    height: player.videoHeight,
    frames: Math.floor(Math.min(player.duration, survey.endsSeconds ?? player.duration) * FPS + 0.01),
    ...survey,
    show: viewer.show,
    close,
  }
}

/** From here on, as of 4K, a player keeps up to 200 MB. */
const LARGE_PIXELS = 4e6
let rest: Promise<unknown> = Promise.resolve()

/** Resolves when the page's player has its video. */
export const isAwake = () => rest

/** Does something without what the player of a large video keeps: a picture stands in its place until it shows its own again. */
export async function withoutPlayer<T>(local: LocalVideo, task: () => Promise<T>): Promise<T> {
  const { player, width, height } = local
  if (width * height <= LARGE_PIXELS) return task()
  const { src, currentTime } = player
  const standIn = player.isConnected ? await standInFor(player).catch(() => undefined) : undefined
  if (standIn) player.after(standIn)
  unload(player)
  player.currentTime = currentTime
  const done = task()
  if (player.isConnected) {
    const wake = () => load(player, src, 'onloadeddata').then(() => seek(player, player.currentTime))
    rest = done.then(wake, wake).catch(() => undefined)
    void rest.then(() => standIn?.remove())
  }
  return done
}

/** What a player shows, of the size at which it is shown. */
async function standInFor(player: HTMLVideoElement): Promise<HTMLCanvasElement> {
  const width = Math.round(player.clientWidth * devicePixelRatio)
  const height = Math.round(player.clientHeight * devicePixelRatio)
  const bitmap = await createImageBitmap(player, { resizeWidth: width, resizeHeight: height })
  const canvas = Object.assign(document.createElement('canvas'), {
    className: 'player stand-in',
    width,
    height,
  })
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap)
  return canvas
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

/** A JPEG of the picture that is shown at a moment, at its full size, and smaller ones. @throws Error */
export async function takeStills({ width, height, show }: LocalVideo, seconds: number) {
  const context = await show(seconds, (video) => canvasOf(video, width, height).getContext('2d'))
  return stillsOf(context?.getImageData(0, 0, width, height) as ImageData)
}

export function canvasOf(picture: CanvasImageSource, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  canvas.getContext('2d')?.drawImage(picture, 0, 0, width, height)
  return canvas
}

const TILE_HEIGHT = 90

/** How large the tiles of a local video's filmstrip are. */
export function sizeOfTile({ width, height }: Pick<LocalVideo, 'width' | 'height'>) {
  return { width: Math.max(1, Math.round((width / height) * TILE_HEIGHT)), height: TILE_HEIGHT }
}

/**
 * Takes tiles of some moments: by the worker, and where it cannot decode them by a player, in the order of the list.
 * @param within seconds in which a key frame will do
 */
export async function takeTiles(
  local: LocalVideo,
  moments: readonly number[],
  within: number,
  signal: AbortSignal,
  onTile: (at: number, picture: ImageBitmap | HTMLCanvasElement) => void,
): Promise<void> {
  const { width, height } = sizeOfTile(local)
  const told = new Set<number>()
  const onPart = ({ at, picture }: { readonly at: number; readonly picture: ImageBitmap }) => {
    told.add(at)
    onTile(at, picture)
  }
  await inWorkerByParts(onPart, 'tiles', local.file, moments, { width, height }, within)
  for (const [at, seconds] of moments.entries()) {
    if (signal.aborted) return
    if (!told.has(at)) onTile(at, await local.show(seconds, (video) => canvasOf(video, width, height)))
  }
}
