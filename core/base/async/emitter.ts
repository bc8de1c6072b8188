/** What `createEmitter` returns. */
export type Emitter<T> = ReturnType<typeof createEmitter<T>>

/**
 * Listeners for one kind of event, called in the order in which they subscribed.
 * @example
 * const changes = createEmitter<number>()
 * const unsubscribe = changes.subscribe((players) => log.info('players', { players }))
 * changes.emit(3)
 */
export function createEmitter<T>() {
  const listeners = new Set<(event: T) => void>()
  return {
    /** @returns a function that unsubscribes */
    subscribe(listener: (event: T) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /**
     * Calls every listener that is subscribed at this moment.
     * @throws what a listener throws; those after it are not called
     */
    emit(event: T): void {
      for (const listener of [...listeners]) listener(event)
    },
  }
}
