import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'

export type HeldRow<T> = {
  readonly item: T
  /** Whether it is shown only so that the rows below it stay where they are. */
  readonly isGone: boolean
}

/**
 * The rows of a list that changes by itself. While a pointer or the focus is inside, no row moves, so that no other button comes
 * under the finger.
 * @returns the rows, and what the element around them takes
 */
export function useHeld<T, E extends HTMLElement>(items: readonly T[], keyOf: (item: T) => string) {
  const element = useRef<E>(null)
  const before = useRef<readonly HeldRow<T>[]>([])
  const [, setReleased] = useState(0)
  const release = () => setReleased((times) => times + 1)
  const isHeld = element.current?.matches(':hover, :focus-within') ?? false
  before.current = heldRows(isHeld ? before.current : [], items, keyOf)
  const holding = {
    ref: element as RefObject<E>,
    onPointerLeave: release,
    onFocusOut: release,
  }
  return { rows: before.current, holding }
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
