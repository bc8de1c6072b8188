import { useRef } from 'preact/hooks'
import { moveRange, type View } from '../photo/cut'
import { cut, held, setCut, view } from '../state/store'
import { say } from '../words/texts'
import { FineStrip } from './FineStrip'
import { Ruler } from './Ruler'
import { StripWithRange } from './StripWithRange'
import { type TimelineProps, Track } from './Track'
import { useDrag } from './useDrag'

/** The track with the range and its cover; of a long video it shows what is around them, below the whole. */
export function Timeline(props: TimelineProps) {
  const whole = { from: 0, to: props.video.frames }
  return (
    <fieldset class={`timeline ${held.value ? 'held' : ''}`}>
      <legend class="unseen">{say('timeline')}</legend>
      <FineStrip video={props.video} />
      {view.value && <Overview {...props} shown={whole} />}
      <Track {...props} shown={view.value ?? whole} />
    </fieldset>
  )
}

/** All of a long video: a press moves the range there. */
function Overview({ video, shown, position, onSeek }: TimelineProps & { readonly shown: View }) {
  const { frames } = video
  const track = useRef<HTMLDivElement>(null)
  const drag = useDrag(
    track,
    shown,
    ({ frame }) => {
      const { start, end } = cut.value
      const isInside = frame >= start && frame < end
      const offset = isInside ? frame - start : (end - start) / 2
      const put = (to: number) => {
        setCut(moveRange(cut.value, to - offset, frames), frames)
        onSeek(cut.value.start)
      }
      held.value = 'range'
      if (!isInside) put(frame)
      return put
    },
    () => {
      held.value = undefined
    },
  )
  return (
    <div class="whole">
      <div class="track overview" ref={track} {...drag}>
        <StripWithRange video={video} shown={shown} position={position} />
      </div>
      <Ruler shown={shown} />
    </div>
  )
}
