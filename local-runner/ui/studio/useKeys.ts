import { useEffect, useRef } from 'preact/hooks'
import { FPS, type Handle } from './photo/cut'
import type { usePlayer } from './usePlayer'

/** Where a key is a letter that is typed, or chooses a value. */
const TYPED =
  'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"], [type="range"], [type="file"])'
/** What Space presses where the keyboard has led to it. */
const PRESSED = 'button, summary, a, input'

/** What keys do on the page, wherever the focus is: only a field to type in and a select keep them for themselves. */
export function useKeys(
  { seek, toggle }: ReturnType<typeof usePlayer>,
  frameNow: () => number,
  put: (handle: Handle) => void,
): void {
  /** Whether the keyboard has moved the focus to where it is. */
  const isLedByKeys = useRef(false)
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
    const { signal } = controller
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Tab') isLedByKeys.current = true
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (!act || isForOther(event, isLedByKeys.current)) return
      event.preventDefault()
      act()
    }
    // A button that the mouse has pressed would be pressed again by the end of Space in some browsers.
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key === ' ' && !isForOther(event, isLedByKeys.current)) event.preventDefault()
    }
    const onPointerDown = () => {
      isLedByKeys.current = false
    }
    window.addEventListener('keydown', onKey, { signal })
    window.addEventListener('keyup', onKeyUp, { signal })
    window.addEventListener('pointerdown', onPointerDown, { signal, capture: true })
    return () => controller.abort()
  })
}

function isForOther(event: KeyboardEvent, isLedByKeys: boolean): boolean {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented, isComposing } = event
  const isOther = defaultPrevented || isComposing || ctrlKey || metaKey || altKey
  if (isOther || !(target instanceof Element)) return isOther
  if (target.closest(TYPED) !== null || target.closest('dialog') !== null) return true
  return key === ' ' && isLedByKeys && target.closest(PRESSED) !== null
}
