import { type Clock, createDeferred, sleep } from '@lantern-room/base/async'
import type { Objects } from '../objects'
import { firstOfEachClient, keyOfWaiting, type WaitingWork } from './waitingWork'

type TurnsDependencies = {
  readonly store: Pick<Objects, 'putBytes' | 'list' | 'delete'>
  readonly clock: Clock
}

type Asked = {
  /** Whether a client of this name may have a job more, where so many of its jobs run in turn. */
  readonly mayRun: (client: string | undefined, running: number) => boolean
  /** Does what waits of another client, or finds that it no longer waits. Failures are its own. */
  readonly doOther: (id: string) => Promise<void>
  /** Aborts when no further work is to begin. */
  readonly signal: AbortSignal
}

/** Until it is looked again which clients have work that waits, where nothing may begin. */
const LOOK_AGAIN_MS = 3000

/**
 * Lets clients take turns with what waits in a queue that gives it in any order, or in that of arrival. A process takes what the queue
 * gives; but before it begins with that, it does what has waited longest of every client that was served longer ago. The queue gives such
 * work later, too, and it has to be found done then. Any number of processes may share a store.
 * @example
 * await turns.wait({ client: 'app', sinceMs: clock.unixTime(), id })
 * await turns.inTurn({ client: 'app', sinceMs, id }, { mayRun, doOther, signal }, () => prepare(id))
 */
export class Turns {
  readonly #dependencies: TurnsDependencies
  /** When each client was served last, counted in jobs. */
  readonly #served = new Map<string | undefined, number>()
  readonly #running = new Map<string | undefined, number>()
  /** What could not begin yet, with the number of its arrival. */
  readonly #held = new Map<WaitingWork, number>()
  #changed = createDeferred()
  #count = 0
  #came = 0

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies
  }

  /** Notes that work waits, before a queue gets it. */
  async wait(work: WaitingWork): Promise<void> {
    await this.#dependencies.store.putBytes(keyOfWaiting(work), new Uint8Array(0), {
      contentType: 'application/octet-stream',
    })
  }

  /** Work begins, in whatever order: others need not find it. */
  async begin(work: WaitingWork): Promise<void> {
    await this.#dependencies.store.delete([keyOfWaiting(work)])
  }

  /**
   * Does work of a client when it is its turn, and until then what waits of others. A client that may not have a job more keeps nobody
   * from theirs, and its work begins in the order in which it came.
   * @throws the signal's reason where it aborts before the work has begun; what `work` throws
   */
  async inTurn<T>(mine: WaitingWork, { doOther, mayRun, signal }: Asked, work: () => Promise<T>): Promise<T> {
    const { store, clock } = this.#dependencies
    this.#came += 1
    const came = this.#came
    try {
      for (;;) {
        signal.throwIfAborted()
        const waiting = await firstOfEachClient(store)
        const next = this.#choose(mine, came, waiting, mayRun)
        if (next) this.#held.delete(mine)
        else this.#held.set(mine, came)
        if (next === mine) break
        if (next) await this.#run(next, () => doOther(next.id))
        else await Promise.race([sleep(clock, LOOK_AGAIN_MS, signal), this.#changed.promise])
      }
    } finally {
      this.#held.delete(mine)
    }
    return this.#run(mine, work)
  }

  /** @returns undefined where none may begin */
  #choose(
    mine: WaitingWork,
    came: number,
    waiting: readonly WaitingWork[],
    mayRun: Asked['mayRun'],
  ): WaitingWork | undefined {
    const isFirst = [...this.#held].every(([{ client }, other]) => client !== mine.client || other >= came)
    const others = waiting.filter(({ client }) => client !== mine.client)
    const allowed = [...(isFirst ? [mine] : []), ...others].filter(({ client }) =>
      mayRun(client, this.#running.get(client) ?? 0),
    )
    const servedAt = ({ client }: WaitingWork) => this.#served.get(client) ?? 0
    return allowed.toSorted((a, b) => servedAt(a) - servedAt(b))[0]
  }

  async #run<T>(one: WaitingWork, work: () => Promise<T>): Promise<T> {
    const { client } = one
    this.#count += 1
    this.#served.set(client, this.#count)
    this.#running.set(client, (this.#running.get(client) ?? 0) + 1)
    this.#tellChange()
    try {
      await this.begin(one)
      return await work()
    } finally {
      this.#running.set(client, (this.#running.get(client) ?? 1) - 1)
      this.#tellChange()
    }
  }

  #tellChange(): void {
    this.#changed.resolve()
    this.#changed = createDeferred()
  }
}
