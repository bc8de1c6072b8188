import { useEffect, useRef } from 'preact/hooks'
import type { Session, Strip } from './records'
import { stripOf } from './store'

/** The filmstrip's tiles side by side: as many as fit, each at its place in time. */
export function Filmstrip({ session, strip }: { readonly session: Session; readonly strip: Strip }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const picture = new Image()
    const draw = () => {
      if (canvas.current && picture.complete) drawTiles(canvas.current, picture, strip)
    }
    picture.onload = draw
    picture.src = stripOf(session)
    const resized = new ResizeObserver(draw)
    if (canvas.current) resized.observe(canvas.current)
    return () => resized.disconnect()
  }, [session, strip])
  return <canvas ref={canvas} />
}

function drawTiles(canvas: HTMLCanvasElement, picture: HTMLImageElement, strip: Strip): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { tile_width: width, tile_height: height, row_height: row, tiles } = strip
  canvas.width = canvas.clientWidth * devicePixelRatio
  canvas.height = canvas.clientHeight * devicePixelRatio
  const shown = Math.min(tiles, Math.max(1, Math.ceil(canvas.width / ((width / height) * canvas.height))))
  const slot = canvas.width / shown
  // The middle of each tile, as much of it as a slot is wide.
  const part = Math.min(width, (slot / canvas.height) * height)
  for (let at = 0; at < shown; at += 1) {
    const tile = Math.min(tiles - 1, Math.floor(((at + 0.5) / shown) * tiles))
    const from = (width - part) / 2
    context.drawImage(picture, from, tile * row, part, height, at * slot, 0, slot, canvas.height)
  }
}
