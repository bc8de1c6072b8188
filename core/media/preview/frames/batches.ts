import { createDeferred, type Deferred } from '@lantern-room/base/async'

/** How frames of one thing are made. */
export type Batch<Value> = {
  /** Runs work when it is its turn. Rejects without having run it when it is refused. */
  run(work: () => Promise<void>): Promise<void>
  /** Makes several frames, whose numbers are in ascending order. */
  make(frames: readonly number[]): Promise<readonly Value[]>
}

type Wanted<Value> = Deferred<Value> & { readonly frame: number; readonly batch: Batch<Value> }

/**
 * Collects requests for single frames of one thing, so that one job makes many: starting a program costs more than a
 * further frame. A thing has one job at a time, and what comes meanwhile waits for the next.
 */
export class Batches<Value> {
  readonly #maxFrames: number
  readonly #waiting = new Map<string, Wanted<Value>[]>()

  /** @param maxFrames of one job */
  constructor(maxFrames: number) {
    this.#maxFrames = maxFrames
  }

  /**
   * @param key of the thing; requests with the same key may be made by the same job, as any of them says
   * @param frame for which no other request waits
   */
  get(key: string, frame: number, batch: Batch<Value>): Promise<Value> {
    const wanted = { ...createDeferred<Value>(), frame, batch }
    const waiting = this.#waiting.get(key)
    if (waiting) waiting.push(wanted)
    else void this.#work(key, [wanted])
    return wanted.promise
  }

  async #work(key: string, waiting: Wanted<Value>[]): Promise<void> {
    this.#waiting.set(key, waiting)
    for (let [next] = waiting; next; [next] = waiting) {
      const { batch } = next
      await batch
        .run(() => makeAll(waiting.splice(0, this.#maxFrames), batch))
        .catch((error: unknown) => rejectAll(waiting.splice(0), error))
    }
    this.#waiting.delete(key)
  }
}

async function makeAll<Value>(taken: readonly Wanted<Value>[], batch: Batch<Value>): Promise<void> {
  const ascending = taken.toSorted((one, other) => one.frame - other.frame)
  try {
    const made = await batch.make(ascending.map(({ frame }) => frame))
    for (const [index, wanted] of ascending.entries()) settle(wanted, made[index])
  } catch (error) {
    rejectAll(taken, error)
  }
}

function rejectAll<Value>(all: readonly Wanted<Value>[], error: unknown): void {
  for (const wanted of all) wanted.reject(error)
}

function settle<Value>(wanted: Deferred<Value>, value: Value | undefined): void {
  if (value === undefined) wanted.reject(new Error('A frame was not made.'))
  else wanted.resolve(value)
}
