import { useRef } from 'preact/hooks'
import { FPS, shownTime, type View } from '../photo/cut'
import { placeIn } from './HandleOf'
import { useWidth } from './useWidth'

const STEPS_SECONDS = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400]
const LEAST_APART_PX = 64

const DIGIT_PX = 7
const FLAG_PX = 24

/** The times along a track, but what the flag of the cover would hide. @param flag its frame, where there is one */
export function Ruler({ shown, flag }: { readonly shown: View; readonly flag?: number }) {
  const ruler = useRef<HTMLDivElement>(null)
  const width = useWidth(ruler)
  const { from, to } = shown
  const apart = (LEAST_APART_PX / Math.max(1, width)) * ((to - from) / FPS)
  const step = STEPS_SECONDS.find((one) => one >= apart) ?? apart
  const first = Math.ceil(from / FPS / step)
  const count = width === 0 ? 0 : Math.floor(to / FPS / step) - first + 1
  const place = placeIn(shown)
  const isHidden = (frame: number, text: string) => {
    const behindFlag = flag === undefined ? FLAG_PX : ((frame - flag) / (to - from)) * width
    return behindFlag < FLAG_PX && behindFlag > -DIGIT_PX * (text.length + 1)
  }
  return (
    <div class="ruler" ref={ruler} aria-hidden="true">
      {Array.from({ length: count }, (_, at) => {
        const seconds = (first + at) * step
        const text = shownTime(seconds, step < 1 ? 1 : 0)
        return (
          <i key={seconds} style={{ left: place(seconds * FPS) }}>
            {!isHidden(seconds * FPS, text) && text}
          </i>
        )
      })}
    </div>
  )
}
