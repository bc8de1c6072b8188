import { createDeferred, type Deferred } from '#core/async/deferred'

/** How frames of one thing are made. */
export type Batch<Value> = {
  /** Runs work when it is its turn. Rejects without having run it when it is refused. */
  run(work: () => Promise<void>): Promise<void>
  /** Makes several frames, whose numbers are in ascending order. */
  make(frames: readonly number[]): Promise<readonly Value[]>
}

type Wanted<Value> = Deferred<Value> & { readonly frame: number; readonly batch: Batch<Value> }

/** The frames of one key that are waited for, and the number of jobs for it that wait or run. */
type Line<Value> = { readonly waiting: Map<number, Wanted<Value>>; jobs: number }

/** Fewer than this are not worth a program of their own. */
const MIN_SHARE = 8

/**
 * Collects requests for single frames of one thing, so that one job makes many: starting a program costs more than a
 * further frame.
 */
export class Batches<Value> {
  /** Of one thing at a time, which share what waits. */
  readonly #jobs: number
  /** Of one job. */
  readonly #maxFrames: number
  readonly #lines = new Map<string, Line<Value>>()

  constructor({ jobs, maxFrames }: { readonly jobs: number; readonly maxFrames: number }) {
    this.#jobs = jobs
    this.#maxFrames = maxFrames
  }

  /** @param key of the thing; requests with the same key may be made by the same job, as any of them says */
  get(key: string, frame: number, batch: Batch<Value>): Promise<Value> {
    const line: Line<Value> = this.#lines.get(key) ?? { waiting: new Map(), jobs: 0 }
    this.#lines.set(key, line)
    const wanted = line.waiting.get(frame) ?? { ...createDeferred<Value>(), frame, batch }
    line.waiting.set(frame, wanted)
    if (line.jobs < this.#jobs) void this.#work(key, line, batch)
    return wanted.promise
  }

  async #work(key: string, line: Line<Value>, batch: Batch<Value>): Promise<void> {
    line.jobs += 1
    const refusal = await batch
      .run(() => this.#makeShare(line, batch))
      .then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
    line.jobs -= 1
    // Where another job runs, what waits is its next work.
    if (refusal && line.jobs === 0) {
      rejectAll(line.waiting.values(), refusal.error)
      line.waiting.clear()
    }
    const [next] = line.waiting.values()
    if (next && !refusal) void this.#work(key, line, next.batch)
    else if (line.jobs === 0) this.#lines.delete(key)
  }

  async #makeShare(line: Line<Value>, batch: Batch<Value>): Promise<void> {
    const taken = this.#takeShare(line)
    try {
      const made = taken.length > 0 ? await batch.make(taken.map(({ frame }) => frame)) : []
      for (const [index, wanted] of taken.entries()) settle(wanted, made[index])
    } catch (error) {
      rejectAll(taken, error)
    }
  }

  #takeShare(line: Line<Value>): Wanted<Value>[] {
    const share = Math.max(MIN_SHARE, Math.ceil(line.waiting.size / this.#jobs))
    const frames = [...line.waiting.values()].sort((one, other) => one.frame - other.frame)
    const taken = frames.slice(0, Math.min(share, this.#maxFrames))
    for (const { frame } of taken) line.waiting.delete(frame)
    return taken
  }
}

function rejectAll<Value>(all: Iterable<Wanted<Value>>, error: unknown): void {
  for (const wanted of all) wanted.reject(error)
}

function settle<Value>(wanted: Deferred<Value>, value: Value | undefined): void {
  if (value === undefined) wanted.reject(new Error('A frame was not made.'))
  else wanted.resolve(value)
}
