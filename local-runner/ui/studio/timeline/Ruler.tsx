import { useRef } from 'preact/hooks'
import { FPS, shownTime, type View } from '../photo/cut'
import { placeIn } from './HandleOf'
import { useWidth } from './useWidth'

const STEPS_SECONDS = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400]
const LEAST_APART_PX = 64

/** The times along a track. */
export function Ruler({ shown }: { readonly shown: View }) {
  const ruler = useRef<HTMLDivElement>(null)
  const width = useWidth(ruler)
  const { from, to } = shown
  const apart = (LEAST_APART_PX / Math.max(1, width)) * ((to - from) / FPS)
  const step = STEPS_SECONDS.find((one) => one >= apart) ?? apart
  const first = Math.ceil(from / FPS / step)
  const count = width === 0 ? 0 : Math.floor(to / FPS / step) - first + 1
  const place = placeIn(shown)
  return (
    <div class="ruler" ref={ruler} aria-hidden="true">
      {Array.from({ length: count }, (_, at) => {
        const seconds = (first + at) * step
        return (
          <i key={seconds} style={{ left: place(seconds * FPS) }}>
            {shownTime(seconds, step < 1 ? 1 : 0)}
          </i>
        )
      })}
    </div>
  )
}
