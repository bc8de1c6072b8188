import { useEffect, useRef } from 'preact/hooks'
import { FPS, type Handle } from './photo/cut'
import { redo, undo } from './state/undo'
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
    const showChanged = (frame: number | undefined) => {
      if (frame !== undefined) seek(frame)
    }
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
    const actOf = (event: KeyboardEvent) => {
      const change = changeOf(event)
      if (change) return () => showChanged(change())
      return isForOther(event, isLedByKeys.current) ? undefined : keys[nameOf(event)]
    }
    const mark = (isPointer: boolean) => document.body.classList.toggle('by-pointer', isPointer)
    const onKey = (event: KeyboardEvent) => {
      mark(false)
      if (event.key === 'Tab') isLedByKeys.current = true
      const act = actOf(event)
      if (!act) return
      event.preventDefault()
      act()
    }
    // A button that the mouse has pressed would be pressed again by the end of Space in some browsers.
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key === ' ' && !isForOther(event, isLedByKeys.current)) event.preventDefault()
    }
    const onPointerDown = () => {
      mark(true)
      isLedByKeys.current = false
    }
    window.addEventListener('keydown', onKey, { signal })
    window.addEventListener('keyup', onKeyUp, { signal })
    window.addEventListener('pointerdown', onPointerDown, { signal, capture: true })
    return () => controller.abort()
  })
}

function nameOf({ key }: KeyboardEvent): string {
  return key.length === 1 ? key.toLowerCase() : key
}

function isForOther(event: KeyboardEvent, isLedByKeys: boolean): boolean {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented, isComposing } = event
  const isOther = defaultPrevented || isComposing || ctrlKey || metaKey || altKey
  if (isOther || !(target instanceof Element)) return isOther
  if (target.closest(TYPED) !== null || target.closest('dialog') !== null) return true
  return key === ' ' && isLedByKeys && target.closest(PRESSED) !== null
}

/** Taking back and doing again, which a field to type in does by itself. */
function changeOf(event: KeyboardEvent): typeof undo | undefined {
  const { ctrlKey, metaKey, altKey, shiftKey, target } = event
  if (ctrlKey === metaKey || altKey || !(target instanceof Element)) return undefined
  if (target.closest('dialog') || (target.closest(TYPED) && !target.closest('select'))) return undefined
  const key = event.key.toLowerCase()
  if (key === 'z') return shiftKey ? redo : undo
  return key === 'y' ? redo : undefined
}
