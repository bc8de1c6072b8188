import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import type { View } from '../photo/cut'

/** How near a press must be to take a handle, in pixels. */
const REACH = 24
const REACH_OF_MOUSE = 10

/**
 * Follows a press until it is let go.
 * @param take the frame where it begins, and how far around it counts; returns what each further one does
 */
export function useDrag(
  track: RefObject<HTMLElement | null>,
  { from, to }: View,
  take: (frame: number, reach: number) => (frame: number) => void,
) {
  const dragged = useRef<((frame: number) => void) | undefined>(undefined)
  const frameAt = ({ clientX }: PointerEvent) => {
    const box = track.current?.getBoundingClientRect()
    return box ? from + ((clientX - box.left) / box.width) * (to - from) : from
  }
  return {
    onPointerDown(event: PointerEvent) {
      const { currentTarget: target, pointerType, pointerId } = event
      if (event.button !== 0 || !(target instanceof HTMLElement) || !track.current) return
      event.preventDefault()
      target.setPointerCapture(pointerId)
      const pixels = pointerType === 'mouse' ? REACH_OF_MOUSE : REACH
      dragged.current = take(frameAt(event), (pixels / track.current.clientWidth) * (to - from))
    },
    onPointerMove: (event: PointerEvent) => dragged.current?.(frameAt(event)),
    onLostPointerCapture() {
      dragged.current = undefined
    },
  }
}
