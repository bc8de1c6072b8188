import { useRef, useState } from 'preact/hooks'
import { FPS, type Handle, move, moveRange, shownTime, stepOf, type View } from '../photo/cut'
import { cut, held, type Opened, setCut } from '../state/store'
import { say } from '../words/texts'
import { HandleOf, placeIn } from './HandleOf'
import { Ruler } from './Ruler'
import { StripWithRange } from './StripWithRange'
import { useDrag } from './useDrag'

export type TimelineProps = {
  readonly video: Opened
  /** The frame that the player shows. */
  readonly position: number
  readonly onSeek: (frame: number) => void
}

type TrackProps = TimelineProps & { readonly shown: View }

/** The cover comes last: it lies above the ends. */
const ON_TRACK = ['start', 'end', 'cover'] as const

/** The track with the handles. A press takes the nearest of them, or shows the frame where it is. */
export function Track({ video, shown, position, onSeek }: TrackProps) {
  const { frames } = video
  const track = useRef<HTMLDivElement>(null)
  const pointed = usePointed(shown)
  const place = placeIn(shown)
  const put = (handle: Handle, to: number) => {
    cut.value = move(cut.value, handle, handle === 'cover' ? Math.floor(to) : to, frames)
    onSeek(handle === 'end' ? cut.value.end - 1 : cut.value[handle])
  }
  const settle = () => {
    held.value = undefined
    setCut(cut.value, frames)
  }
  const drag = useDrag(
    track,
    shown,
    ({ frame, reach, target }) => {
      const handle = ON_TRACK.find((one) => target.closest(`.handle.${one}`)) ?? nearest(frame, reach)
      if (!handle) {
        onSeek(clampTo(frame, frames))
        return (to) => onSeek(clampTo(to, frames))
      }
      held.value = handle
      track.current?.querySelector<HTMLElement>(`.handle.${handle}`)?.focus()
      onSeek(handle === 'end' ? cut.value.end - 1 : cut.value[handle])
      return (to) => put(handle, to)
    },
    settle,
  )
  return (
    <div class="tracks" {...pointed.listeners}>
      <Ruler shown={shown} flag={cut.value.cover} />
      <div class="track" ref={track} {...drag}>
        <StripWithRange video={video} shown={shown} position={position} />
        {ON_TRACK.map((handle) => (
          <HandleOf key={handle} handle={handle} frames={frames} place={place} put={put} settle={settle} />
        ))}
        {pointed.frame !== undefined && held.value === undefined && (
          <i
            class="pointed"
            style={{ left: place(pointed.frame) }}
            data-time={shownTime(pointed.frame / FPS, 2)}
          />
        )}
      </div>
      <Grip video={video} shown={shown} track={track} onSeek={onSeek} settle={settle} />
    </div>
  )
}

/** The frame to which the mouse points. */
function usePointed({ from, to }: View) {
  const [frame, setFrame] = useState<number | undefined>(undefined)
  const listeners = {
    onPointerMove({ currentTarget, pointerType, clientX }: PointerEvent) {
      // While something is held it is not marked, and where the track is would have to be laid out anew.
      if (held.value || pointerType !== 'mouse' || !(currentTarget instanceof Element)) return
      const { left, width } = currentTarget.getBoundingClientRect()
      setFrame(Math.max(from, Math.min(to, from + ((clientX - left) / width) * (to - from))))
    },
    onPointerLeave: () => setFrame(undefined),
  }
  return { frame, listeners }
}

type GripProps = Pick<TrackProps, 'video' | 'shown' | 'onSeek'> & {
  readonly track: { readonly current: HTMLDivElement | null }
  readonly settle: () => void
}

/** What moves the range as one. */
function Grip({ video: { frames }, shown, track, onSeek, settle }: GripProps) {
  const place = placeIn(shown)
  const { start, end } = cut.value
  const drag = useDrag(
    track,
    shown,
    ({ frame }) => {
      const offset = frame - cut.value.start
      held.value = 'range'
      return (to) => {
        cut.value = moveRange(cut.value, to - offset, frames)
        onSeek(cut.value.start)
      }
    },
    settle,
  )
  return (
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
      {...drag}
    />
  )
}

function clampTo(frame: number, frames: number): number {
  return Math.max(0, Math.min(frames - 1, Math.floor(frame)))
}

/** The end nearest to a press, if one is near; else the cover, if that is. */
function nearest(frame: number, reach: number): Handle | undefined {
  const { start, cover, end } = cut.value
  const [toStart, toEnd] = [Math.abs(frame - start), Math.abs(frame - end)]
  if (Math.min(toStart, toEnd) <= reach) return toEnd < toStart ? 'end' : 'start'
  return Math.abs(frame - cover - 0.5) <= reach / 2 ? 'cover' : undefined
}
