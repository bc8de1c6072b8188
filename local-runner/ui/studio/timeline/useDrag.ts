import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import type { View } from '../photo/cut'

/** How near a press must be to take a handle, in pixels. */
const REACH = 24
const REACH_OF_MOUSE = 10
/** Above the track by so many pixels, or with Shift, a drag goes by single frames. */
const FINE_ABOVE_PX = 24
const FINE_FRAMES_A_PIXEL = 1 / 12

type Press = {
  /** Where it begins. */
  readonly frame: number
  /** How many frames around it count. */
  readonly reach: number
  readonly target: Element
}

type Dragged = { readonly follow: (frame: number) => void; frame: number; x: number }

/**
 * Follows a press until it is let go.
 * @param take returns what each further frame does
 */
export function useDrag(
  track: RefObject<HTMLElement | null>,
  { from, to }: View,
  take: (press: Press) => (frame: number) => void,
  letGo: () => void = () => undefined,
) {
  const dragged = useRef<Dragged | undefined>(undefined)
  return {
    onPointerDown(event: PointerEvent) {
      const { currentTarget, target, pointerType, pointerId, clientX, button } = event
      const box = track.current?.getBoundingClientRect()
      if (button !== 0 || !(currentTarget instanceof HTMLElement) || !(target instanceof Element) || !box) {
        return
      }
      event.preventDefault()
      currentTarget.setPointerCapture(pointerId)
      const framesAPixel = (to - from) / box.width
      const frame = from + (clientX - box.left) * framesAPixel
      const pixels = pointerType === 'mouse' ? REACH_OF_MOUSE : REACH
      const follow = take({ frame, reach: pixels * framesAPixel, target })
      dragged.current = { follow, frame, x: clientX }
    },
    onPointerMove({ clientX, clientY, shiftKey }: PointerEvent) {
      const now = dragged.current
      const box = track.current?.getBoundingClientRect()
      if (!now || !box) return
      const isFine = shiftKey || clientY < box.top - FINE_ABOVE_PX
      now.frame += (clientX - now.x) * (isFine ? FINE_FRAMES_A_PIXEL : (to - from) / box.width)
      now.x = clientX
      now.follow(now.frame)
    },
    onLostPointerCapture() {
      dragged.current = undefined
      letGo()
    },
  }
}
