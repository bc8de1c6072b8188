/**
 * Runs steps side by side. The first failure aborts the other ones, and all have ended before this settles: no program may
 * outlive the answer.
 * @returns the results in the order of the steps
 * @throws the signal's reason, or what the first failed step threw
 */
export async function allOrNone<T extends readonly unknown[]>(
  signal: AbortSignal,
  steps: { readonly [Step in keyof T]: (signal: AbortSignal) => Promise<T[Step]> },
): Promise<T> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const all = steps.map((step) =>
    step(either).catch((error: unknown) => {
      failed.abort(error)
      throw error
    }),
  )
  await Promise.allSettled(all)
  signal.throwIfAborted()
  failed.signal.throwIfAborted()
  return (await Promise.all(all)) as unknown as T
}

/** `allOrNone` of two steps. */
export function bothOrNone<A, B>(
  signal: AbortSignal,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<[A, B]> {
  return allOrNone<[A, B]>(signal, [first, second])
}
