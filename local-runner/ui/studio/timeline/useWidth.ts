import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The width of an element in pixels, also after it has changed. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (!element.current) return
    const measure = () => setWidth(element.current?.clientWidth ?? 0)
    const resized = new ResizeObserver(measure)
    resized.observe(element.current)
    measure()
    return () => resized.disconnect()
  }, [element])
  return width
}
