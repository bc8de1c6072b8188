import { useEffect } from 'preact/hooks'
import { FPS, type Handle } from './photo/cut'
import type { Playback } from './usePlayer'

/** What keys do on the page, unless they go to a field or button. */
export function useKeys(
  { seek, toggle }: Playback,
  frameNow: () => number,
  put: (handle: Handle) => void,
): void {
  useEffect(() => {
    const jump = (frames: number) => () => seek(Math.max(0, frameNow() + frames))
    const keys: Readonly<Record<string, () => void>> = {
      ' ': toggle,
      k: toggle,
      i: () => put('start'),
      o: () => put('end'),
      c: () => put('cover'),
      j: jump(-FPS),
      l: jump(FPS),
      ArrowLeft: jump(-1),
      ArrowRight: jump(1),
    }
    const controller = new AbortController()
    const onKey = (event: KeyboardEvent) => {
      const isForOther = (event.target as HTMLElement).closest('input, select, button, summary, a, [role]')
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (!act || isForOther || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey, { signal: controller.signal })
    return () => controller.abort()
  })
}
