import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The width of an element in pixels, also after it has changed; none before the browser has laid it out, which is not forced. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (!element.current) return
    const resized = new ResizeObserver(() => setWidth(element.current?.clientWidth ?? 0))
    resized.observe(element.current)
    return () => resized.disconnect()
  }, [element])
  return width
}
