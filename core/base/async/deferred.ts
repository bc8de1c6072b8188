/** What `createDeferred` returns. */
export type Deferred<T> = ReturnType<typeof createDeferred<T>>

/**
 * A promise that is settled from outside.
 * Settling it a second time has no effect.
 * @example
 * const answered = createDeferred<GameStatus>()
 * socket.on('message', (bytes) => answered.resolve(readStatus(bytes)))
 * const status = await answered.promise
 */
export function createDeferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onResolved, onRejected) => {
    resolve = onResolved
    reject = onRejected
  })
  return { promise, resolve, reject }
}

/**
 * Marks a promise as handled; callers that await it still see the rejection.
 * @returns the same promise
 * @example const closed = handled(network.closed) // may reject before anything awaits it
 */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
