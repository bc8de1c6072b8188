/**
 * Runs two steps side by side. The first failure aborts the other one, and both have ended before this settles: no program may
 * outlive the answer.
 * @throws the signal's reason, or what the first failed step threw
 */
export async function bothOrNone<A, B>(
  signal: AbortSignal,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<[A, B]> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const run = <T>(step: (signal: AbortSignal) => Promise<T>) =>
    step(either).catch((error: unknown) => {
      failed.abort(error)
      throw error
    })
  const both = [run(first), run(second)] as const
  await Promise.allSettled(both)
  signal.throwIfAborted()
  failed.signal.throwIfAborted()
  return Promise.all(both)
}
