import { useEffect, useRef } from 'preact/hooks'
import { boundsOf, FPS, type Handle, move, shownTime, stepOf } from './photo/cut'
import { drawLocalStrip } from './photo/localVideo'
import type { Strip } from './photo/records'
import { cut, type Opened, stripOf } from './store'
import { say } from './texts'

const HANDLES = ['start', 'cover', 'end'] as const

type TimelineProps = {
  readonly video: Opened
  /** The frame that the player shows. */
  readonly position: number
  readonly onSeek: (frame: number) => void
}

/** The filmstrip with the ends of the range and the cover. */
export function Timeline({ video, position, onSeek }: TimelineProps) {
  const track = useRef<HTMLDivElement>(null)
  const { frames } = video
  const { start, end } = cut.value
  const share = (frame: number) => `${(frame / frames) * 100}%`

  const put = (handle: Handle, to: number) => {
    cut.value = move(cut.value, handle, to, frames)
    onSeek(handle === 'end' ? cut.value.end - 1 : cut.value[handle])
  }
  const frameAt = (x: number) => {
    const box = track.current?.getBoundingClientRect()
    return box ? ((x - box.left) / box.width) * frames : 0
  }

  return (
    <fieldset class="timeline">
      <legend class="unseen">{say('timeline')}</legend>
      <div class="track" ref={track}>
        {video.strip && <Filmstrip video={video} strip={video.strip} />}
        <div class="outside" style={{ left: '0', width: share(start) }} />
        <div class="outside" style={{ left: share(end), right: '0' }} />
        <div class="selected" style={{ left: share(start), width: share(end - start) }} />
        <div class="position" style={{ left: share(position) }} />
        {HANDLES.map((handle) => (
          <HandleOf key={handle} handle={handle} frames={frames} left={share} put={put} frameAt={frameAt} />
        ))}
      </div>
      <p class="moments">
        {HANDLES.map((handle) => (
          <span key={handle}>
            {say(handle)} <b>{shownTime(cut.value[handle] / FPS)}</b>
          </span>
        ))}
      </p>
      <p class="hint">{say('timelineHint')}</p>
    </fieldset>
  )
}

function HandleOf(props: {
  readonly handle: Handle
  readonly frames: number
  readonly left: (frame: number) => string
  readonly put: (handle: Handle, to: number) => void
  readonly frameAt: (x: number) => number
}) {
  const { handle, frames, put } = props
  const at = cut.value[handle]
  const [least, most] = boundsOf(cut.value, handle, frames)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key, event.shiftKey)
    if (step === undefined) return
    event.preventDefault()
    put(handle, step === 'least' ? least : step === 'most' ? most : at + step)
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    event.currentTarget.focus()
  }
  const onPointerMove = (event: PointerEvent) => {
    const { currentTarget: target } = event
    if (target instanceof HTMLElement && target.hasPointerCapture(event.pointerId)) {
      put(handle, props.frameAt(event.clientX))
    }
  }
  return (
    <div
      class={`handle ${handle}`}
      style={{ left: props.left(at + (handle === 'cover' ? 0.5 : 0)) }}
      role="slider"
      tabIndex={0}
      aria-label={say(handle)}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={at}
      aria-valuetext={shownTime(at / FPS)}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
    >
      {handle === 'cover' && <span aria-hidden="true">{say('cover')}</span>}
    </div>
  )
}

/** The filmstrip's tiles side by side: as many as fit, each at its place in time. */
function Filmstrip({ video, strip }: { readonly video: Opened; readonly strip: Strip }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const { local, session } = video
    const controller = new AbortController()
    const picture = local ? document.createElement('canvas') : new Image()
    const draw = () => {
      const isThere = !(picture instanceof Image) || picture.complete
      if (canvas.current && isThere) drawTiles(canvas.current, picture, strip)
    }
    if (picture instanceof Image) {
      picture.onload = draw
      if (session) picture.src = stripOf(session)
    } else if (local) {
      // Without a strip the video can be cut all the same.
      void drawLocalStrip(local, picture, controller.signal, draw).catch(() => undefined)
    }
    const resized = new ResizeObserver(draw)
    if (canvas.current) resized.observe(canvas.current)
    return () => {
      controller.abort()
      resized.disconnect()
    }
  }, [video, strip])
  return <canvas ref={canvas} />
}

function drawTiles(canvas: HTMLCanvasElement, picture: CanvasImageSource, strip: Strip): void {
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
