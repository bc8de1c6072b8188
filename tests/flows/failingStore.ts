import { ServiceError } from '@lantern-room/base'
import type { ObjectStore } from '@lantern-room/media/ports'

export type StoreFailure = {
  /** Which call of the store, counted from 1. */
  readonly at: number
  /** Whether the store has done it when it goes wrong. */
  readonly when: 'before' | 'after'
  /**
   * `is killed`: the process is gone, so that neither this call nor a later one ever comes back.
   * `breaks`: this call and all later ones are refused. `fails once`: this call alone is.
   */
  readonly how: 'is killed' | 'breaks' | 'fails once'
}

/** An object store that goes wrong at one of its calls, whichever that is. */
export function failingStore(real: ObjectStore, { at, when, how }: StoreFailure) {
  let calls = 0
  let tell: () => void
  const happened = new Promise<void>((resolve) => {
    tell = resolve
  })

  /** Never comes back for the dead. */
  function goWrong(): Promise<never> {
    tell()
    if (how === 'is killed') return new Promise(() => undefined)
    return Promise.reject(new ServiceError('unavailable', 'The storage fails, as it was told.'))
  }
  /** @returns where in this call it goes wrong */
  function next(): 'before' | 'after' | undefined {
    calls += 1
    if (calls === at) return when
    return calls > at && how !== 'fails once' ? 'before' : undefined
  }
  function wrapped<A extends readonly unknown[], R>(
    act: (...args: A) => Promise<R>,
    drop: (result: R) => unknown = () => undefined,
  ) {
    return async (...args: A): Promise<R> => {
      const wrong = next()
      if (wrong === 'before') return goWrong()
      const result = await act(...args)
      if (wrong === undefined) return result
      await drop(result)
      return goWrong()
    }
  }

  const store: ObjectStore = {
    ...real,
    putFile: wrapped(real.putFile),
    putBytes: wrapped(real.putBytes),
    createBytes: wrapped(real.createBytes),
    get: wrapped(real.get),
    open: wrapped(real.open, (opened) => opened?.body.cancel()),
    head: wrapped(real.head),
    delete: wrapped(real.delete),
    copy: wrapped(real.copy),
    checkOut: wrapped(real.checkOut, (file) => file?.release()),
    check: wrapped(real.check),
    async *list(prefix, after) {
      const wrong = next()
      if (wrong === 'before') await goWrong()
      yield* real.list(prefix, after)
      if (wrong === 'after') await goWrong()
    },
  }
  return { store, happened }
}
