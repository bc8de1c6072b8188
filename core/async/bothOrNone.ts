import { allOrNone } from './allOrNone'

/** `allOrNone` of two steps. */
export function bothOrNone<A, B>(
  signal: AbortSignal,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<[A, B]> {
  return allOrNone<[A, B]>(signal, [first, second])
}
