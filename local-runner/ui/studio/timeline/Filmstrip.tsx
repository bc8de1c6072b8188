import { useEffect, useRef } from 'preact/hooks'
import type { View } from '../photo/cut'
import type { Opened } from '../state/store'
import { tilesOf } from './tiles'

/** No tile is narrower. */
const LEAST_TILE_PX = 44
/** From here on any key frame is near enough to the picture of its time; below it one that lies in the tile. */
const ROUGH_FRAMES_A_TILE = 240
/** More than frames of any video. */
const ANY = Number.MAX_SAFE_INTEGER
/** Pictures all over the strip come first. */
const FIRST_TILES = 4
/** A strip that follows a drag asks for nothing while it moves. */
const SETTLED_MS = 80

type FilmstripProps = {
  readonly video: Opened
  readonly shown: View
  /** Whether `shown` follows something that moves. */
  readonly isFollowing?: boolean
}

/** The pictures of a stretch of the video side by side, each at its place in time. What is there already is drawn at once. */
export function Filmstrip({ video, shown: { from, to }, isFollowing = false }: FilmstripProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const place = canvas.current
    const tiles = tilesOf(video)
    if (!place || !tiles) return
    const controller = new AbortController()
    const { signal } = controller
    const view = { from, to }
    const stepHere = () => stepOf(view, place.clientWidth, tiles.ratio * place.clientHeight)
    const draw = () => {
      if (!signal.aborted) drawStrip(place, tiles, view, stepHere(), video.frames)
    }
    const load = async () => {
      const step = stepHere()
      const frames = slotsOf(view, step, video.frames).map(({ frame }) => frame)
      const apart = Math.max(1, Math.ceil(frames.length / FIRST_TILES))
      const first = frames.filter((_, at) => at % apart === Math.floor(apart / 2))
      if (isFollowing) await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
      else await tiles.load(first, ANY, signal, draw)
      await tiles.load(frames, step >= ROUGH_FRAMES_A_TILE ? ANY : Math.floor(step / 2), signal, draw)
    }
    const resized = new ResizeObserver(() => {
      draw()
      // Without a strip the video can be cut all the same.
      void load().catch(() => undefined)
    })
    resized.observe(place)
    return () => {
      controller.abort()
      resized.disconnect()
    }
  }, [video, from, to, isFollowing])
  return <canvas ref={canvas} />
}

/** The frames that a tile stands for: a power of two, so that a strip that moves or grows a little has the same tiles. */
function stepOf({ from, to }: View, width: number, tileWidth: number): number {
  const most = (1.5 * Math.max(LEAST_TILE_PX, tileWidth) * (to - from)) / Math.max(1, width)
  return 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, most))))
}

/** Where each tile begins, and the frame that it shows. */
function slotsOf({ from, to }: View, step: number, frames: number) {
  const [first, end] = [Math.floor(from / step), Math.ceil(Math.min(to, frames) / step)]
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => {
    const start = (first + at) * step
    return { start, frame: Math.max(0, Math.min(frames - 1, start + Math.floor(step / 2))) }
  })
}

function drawStrip(
  canvas: HTMLCanvasElement,
  tiles: NonNullable<ReturnType<typeof tilesOf>>,
  view: View,
  step: number,
  frames: number,
): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const [width, height] = [canvas.clientWidth * devicePixelRatio, canvas.clientHeight * devicePixelRatio]
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const scale = canvas.width / (view.to - view.from)
  for (const { start, frame } of slotsOf(view, step, frames)) {
    const tile = tiles.near(frame)
    if (!tile) continue
    const [left, across] = [(start - view.from) * scale, step * scale]
    // The middle of the tile, as much of it as fills its place.
    const fit = Math.max(across / tile.width, canvas.height / tile.height)
    const [seenWidth, seenHeight] = [across / fit, canvas.height / fit]
    const [x, y] = [(tile.width - seenWidth) / 2, tile.y + (tile.height - seenHeight) / 2]
    context.drawImage(tile.picture, x, y, seenWidth, seenHeight, left, 0, across, canvas.height)
  }
}
