import { boundsOf, FPS, type Handle, shownTime, stepOf, type View } from '../photo/cut'
import { cut } from '../state/store'
import { say } from '../words/texts'

/** Where a frame is in a strip, as CSS wants it. */
export function placeIn({ from, to }: View) {
  return (frame: number) => `${((frame - from) / (to - from)) * 100}%`
}

/** An end of the range, or the flag of its cover, for keys; a press on it is followed by its track. */
export function HandleOf(props: {
  readonly handle: Handle
  readonly frames: number
  readonly place: (frame: number) => string
  readonly put: (handle: Handle, to: number) => void
  readonly settle: () => void
}) {
  const { handle, frames, put, settle } = props
  const at = cut.value[handle]
  const [least, most] = boundsOf(cut.value, handle, frames)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key, event.shiftKey)
    if (step === undefined) return
    event.preventDefault()
    put(handle, step === 'least' ? least : step === 'most' ? most : at + step)
    settle()
  }
  return (
    <div
      class={`handle ${handle}`}
      style={{ left: props.place(at + (handle === 'cover' ? 0.5 : 0)) }}
      role="slider"
      tabIndex={0}
      aria-label={say(handle)}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={at}
      aria-valuetext={shownTime(at / FPS)}
      onKeyDown={onKeyDown}
    />
  )
}
