import type { ByteSource } from './byteSource'

/**
 * A parser that asks for the bytes it needs, one range after another, and ends with its result. It reads files that are
 * larger than the memory: `readNow` gives it bytes at hand, `readFrom` those of a source.
 */
export type Reading<Result> = Generator<ByteSpan, Result, Uint8Array>

/** A file of which a parser knows no more than its bytes' number: it asks for them. */
export type Sized = { readonly size: number }

/** What was found, or why nothing was: `const { movie, problem } = readMovie(bytes)`. */
export type Outcome<Found, Problem> =
  | (Found & { readonly problem?: undefined })
  | ({ readonly [Name in keyof Found]?: undefined } & { readonly problem: Problem })

/** From `start` to before `end`, inside the file. */
export type ByteSpan = { readonly start: number; readonly end: number }

/**
 * Asks for a range of a file: `const bytes = yield* take(file, 0, 8)`.
 * @returns its bytes, fewer where the file ends before `end`; none where the range begins outside the file
 * @example
 * const head = yield* take(file, 0, 8)
 */
export function* take({ size }: Sized, start: number, end: number): Reading<Uint8Array> {
  const last = Math.min(end, size)
  if (start < 0 || start >= last) return new Uint8Array()
  return yield { start, end: last }
}

/**
 * A number of a list that must have it: a byte of a file, a row of a table. Not for loops over whole files, where the kinds
 * of lists that it is called with make it slow.
 * @throws RangeError when the list ends before it
 * @example
 * const marker = numberAt(jpeg, 3) // 0xe1, of APP1
 */
export function numberAt(list: ArrayLike<number>, index: number): number {
  const value = list[index]
  if (value === undefined) throw new RangeError(`number ${index} of a list of ${list.length}`)
  return value
}

/**
 * Reads big-endian numbers of 0 to 8 bytes one after another; NaN from the first one on that is cut.
 * @example
 * const next = numberReader(bytes, 8)
 * const [version, count] = [next(1), next(3)]
 */
export function numberReader(bytes: Uint8Array, start: number): (size: number) => number {
  let at = start
  return (size) => {
    at += size
    if (!(at <= bytes.length)) return Number.NaN
    let value = 0
    for (let i = at - size; i < at; i++) value = value * 256 + numberAt(bytes, i)
    return value
  }
}

/**
 * Runs a parser of a file that lies in another one, from `offset` on.
 * @example
 * const { moov } = yield* within(readMoov({ size: clip.length }), clip.offset)
 */
export function* within<Result>(reading: Reading<Result>, offset: number): Reading<Result> {
  let step = reading.next()
  while (!step.done) {
    const { start, end } = step.value
    step = reading.next(yield { start: start + offset, end: end + offset })
  }
  return step.value
}

/**
 * Runs a parser on bytes at hand.
 * @example
 * const { galleries } = readNow(inspect({ size: bytes.length }), bytes)
 */
export function readNow<Result>(reading: Reading<Result>, bytes: Uint8Array): Result {
  let step = reading.next()
  while (!step.done) step = reading.next(bytes.subarray(step.value.start, step.value.end))
  return step.value
}

/** Parsers ask for many small ranges that lie close together, so this much is read at once. */
const WINDOW_BYTES = 256 * 1024

/** One that goes on without a gap, as through the data of a picture, gets twice as much each time, up to this. */
const MAX_WINDOW_BYTES = 2 * 1024 * 1024

/** Lets a parser of a file of `size` bytes ask for fewer and larger ranges, at least of `windowBytes`. */
export function* inWindows<Result>(
  reading: Reading<Result>,
  { size }: Sized,
  windowBytes = WINDOW_BYTES,
): Reading<Result> {
  let window: ByteSpan & { readonly bytes: Uint8Array } = { start: 0, end: 0, bytes: new Uint8Array() }
  let nextBytes = windowBytes
  let step = reading.next()
  while (!step.done) {
    const { start, end } = step.value
    if (start < window.start || end > window.end) {
      const goesOn = start > window.start && start <= window.end
      nextBytes = goesOn ? Math.min(MAX_WINDOW_BYTES, nextBytes * 2) : windowBytes
      const span = { start, end: Math.min(size, Math.max(end, start + nextBytes)) }
      window = { ...span, bytes: yield span }
    }
    step = reading.next(window.bytes.subarray(start - window.start, end - window.start))
  }
  return step.value
}

/**
 * Runs a parser on a source.
 * @param windowBytes that are read at once at least
 * @throws what the source throws; the signal's reason
 * @example
 * const { galleries } = await readFrom(inspect(source), source, AbortSignal.timeout(1000))
 */
export async function readFrom<Result>(
  reading: Reading<Result>,
  source: ByteSource,
  signal?: AbortSignal,
  windowBytes?: number,
): Promise<Result> {
  const asking = inWindows(reading, source, windowBytes)
  let step = asking.next()
  while (!step.done) {
    signal?.throwIfAborted()
    step = asking.next(await source.read(step.value.start, step.value.end))
  }
  return step.value
}
