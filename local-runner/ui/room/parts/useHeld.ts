import { useRef, useState } from 'preact/hooks'

/** A pointer or focus that has rested for longer is about to press nothing. */
const HELD_MS = 5000

export type HeldRow<T> = {
  readonly item: T
  /** Whether it is shown only so that the rows below it stay where they are. */
  readonly isGone: boolean
}

/**
 * The rows of a list that changes by itself. While a pointer or the focus moves inside, no row does, so that no other button comes
 * under the finger.
 * @returns the rows, and what the element around them takes
 */
export function useHeld<T>(items: readonly T[], keyOf: (item: T) => string) {
  const [isHeld, setHeld] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const before = useRef<readonly HeldRow<T>[]>([])
  const letGo = () => setHeld(false)
  const hold = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(letGo, HELD_MS)
    setHeld(true)
  }
  before.current = heldRows(isHeld ? before.current : [], items, keyOf)
  return { rows: before.current, holding: { onPointerMove: hold, onFocusIn: hold, onPointerLeave: letGo } }
}

/** The rows that were there before at their places, and below them what has come since. */
function heldRows<T>(
  before: readonly HeldRow<T>[],
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly HeldRow<T>[] {
  const rest = new Map(items.map((item) => [keyOf(item), item]))
  const kept = before.map(({ item: last }) => {
    const item = rest.get(keyOf(last))
    rest.delete(keyOf(last))
    return { item: item ?? last, isGone: item === undefined }
  })
  return [...kept, ...[...rest.values()].map((item) => ({ item, isGone: false }))]
}
