/**
 * Runs two steps side by side. The first failure aborts the other one, and both have ended before this settles: no program may
 * outlive the answer.
 * @param first gets a signal that aborts with `signal`, or when the other step fails; it has to stop by it
 * @param second as `first`
 * @throws the signal's reason, or what the first failed step threw
 * @example
 * const [clip, cover] = await bothOrNone(
 *   signal,
 *   (either) => encodeClip(video, either),
 *   (either) => takeCover(video, either),
 * )
 */
export async function bothOrNone<A, B>(
  signal: AbortSignal,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<[A, B]> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const fail = (error: unknown) => {
    failed.abort(error)
    throw error
  }
  const both = [first(either).catch(fail), second(either).catch(fail)] as const
  await Promise.allSettled(both)
  signal.throwIfAborted()
  failed.signal.throwIfAborted()
  return Promise.all(both)
}
