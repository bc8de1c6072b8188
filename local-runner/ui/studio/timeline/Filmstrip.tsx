import { useEffect, useRef } from 'preact/hooks'
import type { View } from '../photo/cut'
import { drawLocalStrip } from '../photo/localVideo'
import type { Strip } from '../photo/records'
import { type Opened, stripOf } from '../state/store'

/** The filmstrip's tiles side by side: as many as fit, each at its place in time. */
export function Filmstrip(props: { readonly video: Opened; readonly strip: Strip; readonly shown: View }) {
  const { video } = props
  const { from, to } = props.shown
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (!canvas.current) return
    const { local, session, frames } = video
    // Of this device's file no more tiles are drawn than are seen: each is a seek, and a whole picture in memory.
    const strip = local ? { ...props.strip, tiles: tilesIn(canvas.current, props.strip) } : props.strip
    const controller = new AbortController()
    // A picture of this device's file has the tiles of its part alone.
    const part = local ? { from: 0, to: 1 } : { from: from / frames, to: to / frames }
    const picture = local ? document.createElement('canvas') : new Image()
    const draw = () => {
      const isThere = !(picture instanceof Image) || picture.complete
      if (canvas.current && isThere) drawTiles(canvas.current, picture, strip, part)
    }
    if (picture instanceof Image) {
      picture.onload = draw
      if (session) picture.src = stripOf(session)
    } else if (local) {
      // Without a strip the video can be cut all the same.
      void drawLocalStrip(local, strip, { from, to }, picture, controller.signal, draw).catch(() => undefined)
    }
    const resized = new ResizeObserver(draw)
    resized.observe(canvas.current)
    return () => {
      controller.abort()
      resized.disconnect()
    }
  }, [video, props.strip, from, to])
  return <canvas ref={canvas} />
}

/** How many tiles fit side by side. */
function tilesIn({ clientWidth, clientHeight }: HTMLCanvasElement, strip: Strip): number {
  const fit = Math.ceil(clientWidth / ((strip.tile_width / strip.tile_height) * clientHeight))
  return Math.min(strip.tiles, Math.max(1, fit))
}

/** @param part of the picture's time, from 0 to 1 */
function drawTiles(canvas: HTMLCanvasElement, picture: CanvasImageSource, strip: Strip, part: View): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { tile_width: width, tile_height: height, row_height: row, tiles } = strip
  canvas.width = canvas.clientWidth * devicePixelRatio
  canvas.height = canvas.clientHeight * devicePixelRatio
  const shown = tilesIn(canvas, strip)
  const slot = canvas.width / shown
  // The middle of each tile, as much of it as a slot is wide.
  const seen = Math.min(width, (slot / canvas.height) * height)
  for (let at = 0; at < shown; at += 1) {
    const tile = Math.min(
      tiles - 1,
      Math.floor((part.from + ((at + 0.5) / shown) * (part.to - part.from)) * tiles),
    )
    const from = (width - seen) / 2
    context.drawImage(picture, from, tile * row, seen, height, at * slot, 0, slot, canvas.height)
  }
}
