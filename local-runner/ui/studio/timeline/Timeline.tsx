import { useRef } from 'preact/hooks'
import { FPS, type Handle, move, moveRange, shownTime, stepOf, type View } from '../photo/cut'
import { cut, type Opened, setCut, view } from '../state/store'
import { say } from '../words/texts'
import { CoverStrip } from './CoverStrip'
import { Filmstrip } from './Filmstrip'
import { HandleOf, placeIn } from './HandleOf'
import { Times } from './Times'
import { useDrag } from './useDrag'

type TimelineProps = {
  readonly video: Opened
  /** The frame that the player shows. */
  readonly position: number
  readonly onSeek: (frame: number) => void
}

/** The filmstrip with the ends of the range, of a long video the part around them below the whole; and the range alone for its cover. */
export function Timeline(props: TimelineProps) {
  const { frames } = props.video
  const whole = { from: 0, to: frames }
  return (
    <fieldset class="timeline">
      <legend class="unseen">{say('timeline')}</legend>
      {view.value && <Overview {...props} shown={whole} />}
      <Detail {...props} shown={view.value ?? whole} />
      <CoverStrip {...props} />
      <Times video={props.video} onSeek={props.onSeek} />
      <p class="hint">{say(matchMedia('(hover: hover)').matches ? 'timelineHint' : 'timelineHintTouch')}</p>
    </fieldset>
  )
}

const ENDS = ['start', 'end'] as const

type TrackProps = TimelineProps & { readonly shown: View }

/** All of a long video: a press moves the range there. */
function Overview({ video, shown, position, onSeek }: TrackProps) {
  const { frames } = video
  const track = useRef<HTMLDivElement>(null)
  const drag = useDrag(track, shown, (frame) => {
    const { start, end } = cut.value
    const isInside = frame >= start && frame < end
    const offset = isInside ? frame - start : (end - start) / 2
    const put = (to: number) => {
      setCut(moveRange(cut.value, to - offset, frames), frames)
      onSeek(cut.value.start)
    }
    if (!isInside) put(frame)
    return put
  })
  return (
    <div class="track overview" ref={track} {...drag}>
      <Strip video={video} shown={shown} position={position} />
    </div>
  )
}

/** The part with the handles. A press takes the nearest of them, or shows the frame where it is. */
function Detail({ video, shown, position, onSeek }: TrackProps) {
  const { frames } = video
  const track = useRef<HTMLDivElement>(null)
  const place = placeIn(shown)
  const put = (handle: Handle, to: number) => {
    cut.value = move(cut.value, handle, to, frames)
    onSeek(handle === 'end' ? cut.value.end - 1 : cut.value[handle])
  }
  const drag = useDrag(track, shown, (frame, reach) => {
    const near = nearest(frame, reach)
    if (!near) {
      onSeek(clampTo(frame, frames))
      return (to) => onSeek(clampTo(to, frames))
    }
    track.current?.querySelector<HTMLElement>(`.handle.${near}`)?.focus()
    return (to) => put(near, to)
  })
  const dragRange = useDrag(track, shown, (frame) => {
    const offset = frame - cut.value.start
    return (to) => {
      cut.value = moveRange(cut.value, to - offset, frames)
      onSeek(cut.value.start)
    }
  })
  const settle = () => setCut(cut.value, frames)
  const { start, end } = cut.value
  return (
    <div class="tracks" onPointerUp={settle} onPointerCancel={settle}>
      <div class="track" ref={track} {...drag}>
        <Strip video={video} shown={shown} position={position} />
        {ENDS.map((handle) => (
          <HandleOf key={handle} handle={handle} frames={frames} place={place} put={put} settle={settle} />
        ))}
      </div>
      <div
        class="grip"
        style={{ left: place(start), right: `calc(100% - ${place(end)})` }}
        role="slider"
        tabIndex={0}
        aria-label={say('moveRange')}
        aria-valuemin={0}
        aria-valuemax={frames - (end - start)}
        aria-valuenow={start}
        aria-valuetext={`${shownTime(start / FPS)} – ${shownTime(end / FPS)}`}
        onKeyDown={(event) => {
          const step = stepOf(event.key, event.shiftKey)
          if (step === undefined) return
          event.preventDefault()
          const to = step === 'least' ? 0 : step === 'most' ? frames : start + step
          setCut(moveRange(cut.value, to, frames), frames)
          onSeek(cut.value.start)
        }}
        {...dragRange}
      />
    </div>
  )
}

function clampTo(frame: number, frames: number): number {
  return Math.max(0, Math.min(frames - 1, Math.floor(frame)))
}

/** The end nearest to a press, if one is near. */
function nearest(frame: number, reach: number): (typeof ENDS)[number] | undefined {
  const distances = ENDS.map((handle) => ({ handle, distance: Math.abs(frame - cut.value[handle]) }))
  const best = distances.reduce((one, other) => (other.distance < one.distance ? other : one))
  return best.distance <= reach ? best.handle : undefined
}

/** What is the same in all tracks: the pictures, the range, and where the player is. */
function Strip({ video, shown, position }: Omit<TrackProps, 'onSeek'>) {
  const { start, end } = cut.value
  const place = placeIn(shown)
  return (
    <>
      {video.strip && <Filmstrip video={video} strip={video.strip} shown={shown} />}
      <div class="outside" style={{ left: '0', width: place(start) }} />
      <div class="outside" style={{ left: place(end), right: '0' }} />
      <div class="selected" style={{ left: place(start), right: `calc(100% - ${place(end)})` }} />
      {position >= shown.from && position <= shown.to && (
        <div class="position" style={{ left: place(position) }} />
      )}
    </>
  )
}
