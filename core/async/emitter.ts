/** Listeners for one kind of event, called in the order in which they subscribed. */
export type Emitter<T> = {
  /** @returns a function that unsubscribes */
  subscribe(listener: (event: T) => void): () => void
  /**
   * Calls every listener that is subscribed at this moment.
   * @throws what a listener throws; those after it are not called
   */
  emit(event: T): void
}

export function createEmitter<T>(): Emitter<T> {
  const listeners = new Set<(event: T) => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit(event) {
      for (const listener of [...listeners]) listener(event)
    },
  }
}
