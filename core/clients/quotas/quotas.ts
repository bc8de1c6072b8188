import { randomInt } from 'node:crypto'
import { ServiceError } from '@lantern-room/base'
import { type Clock, sleep } from '@lantern-room/base/async'
import type { Client } from '../client'
import type { Objects } from '../objects'
import { addEntry, type Entry, folderOfDay, newestEntry, QUOTAS_PREFIX } from './dayLog'
import type { QuotaSettings } from './quotaSettings'
import { addUsage, exceeded, type Kind, type Totals, type Usage } from './usage'

type QuotaDependencies = {
  readonly store: Pick<Objects, 'createBytes' | 'get' | 'list'>
  /** Its Unix time has to be the same on all hosts of the store. */
  readonly clock: Clock
  readonly settings: QuotaSettings
  /** Is told of each request that a quota has refused. @default nothing is done */
  readonly onRefused?: (client: string) => void
}

const DAY_MS = 86_400_000
/** Of adding an entry while other hosts add theirs. */
const MAX_TRIES = 40
const PAUSE_MS = 25

/**
 * Counts what clients use in a day (of UTC), on however many hosts of one store. Clients without a quota are not counted, and cost
 * nothing; for others a job costs one write, and one more if it fails.
 * @example
 * const quotas = new Quotas({ store, clock, settings: config.quotas })
 * await quotas.spend(client, { photos: 1 }, () => makePhoto(request))
 */
export class Quotas {
  readonly #dependencies: QuotaDependencies
  /** By folder: the newest entry that this host has seen. */
  readonly #known = new Map<string, Entry>()
  /** By folder: the last of the additions of this host, which take turns. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(dependencies: QuotaDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Refuses work, before it is done, for which nothing is left, or not enough.
   * @param more 0 where an amount is not known yet
   * @throws ServiceError `quota-exceeded`, with the seconds until the next day
   */
  async check({ name }: Pick<Client, 'name'>, more: Usage): Promise<void> {
    const quota = this.#quotaOf(name)
    if (name === undefined || quota === undefined) return
    const { totals } = await this.#newest(this.#folderOf(name))
    this.#mustFit(name, quota, totals, more)
  }

  /**
   * Does work that uses so much; when it fails, that is given back.
   * @throws ServiceError `quota-exceeded` when it does not fit; `too-busy` when too many hosts count at once; what the work throws
   */
  async spend<T>({ name }: Pick<Client, 'name'>, used: Usage, work: () => Promise<T>): Promise<T> {
    const quota = this.#quotaOf(name)
    if (name === undefined || quota === undefined) return work()
    const folder = this.#folderOf(name)
    await this.#add(folder, (totals) => {
      this.#mustFit(name, quota, totals, used)
      return addUsage(totals, used)
    })
    try {
      return await work()
    } catch (error) {
      // The client would rather hear of the failure of its work than of this one.
      await this.#add(folder, (totals) => addUsage(totals, used, -1)).catch(() => undefined)
      throw error
    }
  }

  #quotaOf(name: string | undefined): Usage | undefined {
    return name === undefined ? undefined : this.#dependencies.settings.get(name)
  }

  #folderOf(name: string): string {
    return folderOfDay(dayOf(this.#dependencies.clock.unixTime()), name)
  }

  async #newest(folder: string): Promise<Entry> {
    const newest = await newestEntry(this.#dependencies.store, folder, this.#known.get(folder))
    this.#remember(folder, newest)
    return newest
  }

  /** Forgets the days before. */
  #remember(folder: string, entry: Entry): void {
    for (const known of this.#known.keys()) if (dayIn(known) < dayIn(folder)) this.#known.delete(known)
    if (entry.index >= 0) this.#known.set(folder, entry)
  }

  #add(folder: string, change: (totals: Totals) => Totals): Promise<void> {
    const before = this.#turns.get(folder) ?? Promise.resolve()
    const turn = before.catch(() => undefined).then(() => this.#addInTurn(folder, change))
    this.#turns.set(folder, turn)
    const forget = () => {
      if (this.#turns.get(folder) === turn) this.#turns.delete(folder)
    }
    turn.then(forget, forget)
    return turn
  }

  async #addInTurn(folder: string, change: (totals: Totals) => Totals): Promise<void> {
    const { store, clock } = this.#dependencies
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (tries > 0) await sleep(clock, randomInt(PAUSE_MS * Math.min(tries, 8)), NEVER)
      const last = await this.#newest(folder)
      const added = await addEntry(store, folder, last, change(last.totals))
      if (!added) continue
      this.#remember(folder, added)
      return
    }
    throw new ServiceError('too-busy', 'Too many requests of this client are counted at once. Try again.')
  }

  #mustFit(name: string, quota: Usage, totals: Totals, more: Usage): void {
    const kind = exceeded(quota, totals, more)
    if (kind === undefined) return
    this.#dependencies.onRefused?.(name)
    throw refusal(kind, quota, totals, this.#dependencies.clock.unixTime())
  }
}

const NEVER = new AbortController().signal

function refusal(kind: Kind, quota: Usage, totals: Totals, nowMs: number): ServiceError {
  const retryAfterSeconds = Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000)
  const used = `${totals[kind]} of ${quota[kind]} ${kind}`
  return new ServiceError(
    'quota-exceeded',
    `The quota of this client for today has no room for this: ${used} are used. It begins anew at midnight (UTC), in ${retryAfterSeconds} s; the operator can raise it.`,
    { retryAfterSeconds },
  )
}

/** Such as `2026-03-04`, in UTC. */
function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/** @param folder or key of a log */
function dayIn(folder: string): string {
  return folder.split('/')[1] ?? ''
}

/**
 * Removes the logs of days before yesterday.
 * @param nowMs Unix time in milliseconds
 * @param mayGoOn is asked before each thousand
 * @example await removeOldQuotas(store, clock.unixTime(), () => true)
 */
export async function removeOldQuotas(
  store: Pick<Objects, 'list' | 'delete'>,
  nowMs: number,
  mayGoOn: () => boolean,
): Promise<void> {
  const yesterday = dayOf(nowMs - DAY_MS)
  const old: string[] = []
  for await (const { key } of store.list(QUOTAS_PREFIX)) {
    // They come in the order of days.
    if (dayIn(key) >= yesterday || !mayGoOn()) break
    old.push(key)
    if (old.length === 1000) await store.delete(old.splice(0))
  }
  if (old.length > 0) await store.delete(old)
}
