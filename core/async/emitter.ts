export type Emitter<T> = {
  /** @returns a function that takes the listener off */
  add(listener: (event: T) => void): () => void
  tell(event: T): void
}

export function createEmitter<T>(): Emitter<T> {
  const listeners = new Set<(event: T) => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell(event) {
      for (const listener of [...listeners]) listener(event)
    },
  }
}
