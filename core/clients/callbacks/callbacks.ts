import { describeError, type Log, ServiceError } from '@lantern-room/base'
import { type Clock, sleep } from '@lantern-room/base/async'
import type { Client } from '../client'
import type { Objects } from '../objects'
import { type CallbackSettings, callbacksOf } from './callbackSettings'
import {
  createDue,
  type Delivery,
  type DueKey,
  dueKeys,
  isLast,
  isOver,
  isUploadId,
  type Message,
  nextDue,
  readDue,
  readTold,
  writeTold,
} from './delivery'
import { type PostText, postSigned, TRY_MS } from './signedPost'

/** How an upload stands: `pending` while it may still end, `gone` when it never will. */
export type UploadOutcome =
  | 'pending'
  | 'gone'
  | {
      /** Tells this outcome from an earlier one of the same upload. */
      readonly updatedAt: number
      readonly body: Readonly<Record<string, unknown>>
    }

/** Where a client wants to be told, and of what. */
export type AskedCallback = {
  readonly url: string
  readonly uploadId: string
  /** The client's name. */
  readonly client: string | undefined
}

type CallbackDependencies = {
  readonly store: Objects
  /** Its Unix time has to be the same on all hosts of the store. */
  readonly clock: Clock
  readonly settings: CallbackSettings
  readonly post: PostText
  readonly log: Pick<Log, 'warn'>
  readonly outcomeOf: (uploadId: string) => Promise<UploadOutcome>
  /** Is told of each callback that has arrived or was given up. @default nothing is done */
  readonly onEnd?: (how: 'delivered' | 'given_up', client: string | undefined) => void
}

/** For the only attempt of a host that is about to stop, in milliseconds. */
const LAST_MS = 1000
/** The pause after each of the first attempts, in milliseconds. */
const PAUSES_MS = [1000, 3000, undefined]
/** How many are tried at once. */
const LANES = 8
/** After so many tries without an answer, the others to the same origin wait for their next time. */
const MAX_SILENT = 3
/** What no version can read is removed after so long. */
const UNREADABLE_SECONDS = 2 * 86_400

/**
 * Tells clients' servers how uploads have ended, by signed requests: at least once, and with the same id each time. What is not taken at
 * first is tried again over a day, by whichever host of the store comes first, also when the process that began is gone.
 * @example
 * const callbacks = new Callbacks({ store, clock, log, post, settings: config.callbacks, outcomeOf })
 * await callbacks.tell({ url, uploadId, client: client.name }, signal)
 */
export class Callbacks {
  readonly #dependencies: CallbackDependencies
  #running: Promise<void> | undefined

  constructor(dependencies: CallbackDependencies) {
    this.#dependencies = dependencies
  }

  /** @throws ServiceError `invalid-request` when the client may not have this URL called, or the request names no upload */
  check(url: string | undefined, uploadId: string | undefined, { name }: Pick<Client, 'name'>): void {
    if (url === undefined || (uploadId !== undefined && this.#isAllowed(url, name))) return
    throw new ServiceError(
      'invalid-request',
      'callback_url needs an upload_id, and must have an origin that the setting CALLBACK_ORIGINS of the service names for this client.',
    )
  }

  /**
   * Keeps that the outcome has to be told, before there is one. Never rejects.
   * @returns what `tell` forgets, once it has begun
   */
  async expect({ url, uploadId, client }: AskedCallback): Promise<DueKey | undefined> {
    const { store, log } = this.#dependencies
    const delivery = { url, uploadId, client, since: this.#seconds(), tries: 0, message: undefined }
    const due = nextDue(delivery, delivery.since)
    if (due === undefined || !isUploadId(uploadId)) return undefined
    try {
      await createDue(store, due, delivery)
      return due
    } catch (error) {
      log.warn('a callback was not kept', { cause: describeError(error) })
      return undefined
    }
  }

  /**
   * Sends the outcome of an upload, if there is one and it is not on its way, until it is answered with 2xx: three times within 20 s, or
   * once within a second when the signal has aborted; then `deliverDue` goes on. Never rejects.
   */
  async tell(asked: AskedCallback, signal: AbortSignal, expected?: DueKey): Promise<void> {
    const { store, log, outcomeOf } = this.#dependencies
    try {
      const outcome = await outcomeOf(asked.uploadId)
      if (typeof outcome === 'string') return
      await this.#begin(asked, messageOf(asked.uploadId, outcome), signal)
      if (expected) await store.delete([expected.key])
    } catch (error) {
      const { origin } = new URL(asked.url)
      log.warn('a callback was not sent', { origin, client: asked.client, cause: describeError(error) })
    }
  }

  /** Tries what is due, from whatever host; a call while another one runs waits for that one. Rejects when the store fails. */
  deliverDue(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#deliverDue(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #deliverDue(signal: AbortSignal): Promise<void> {
    const { store, log } = this.#dependencies
    const keys = dueKeys(store, this.#seconds())
    const silent = new Map<string, number>()
    const lane = async () => {
      while (!signal.aborted) {
        const { value: key } = await keys.next()
        if (key === undefined) return
        await this.#deliver(key, silent, signal).catch((error: unknown) =>
          log.warn('a callback was not tried', { cause: describeError(error) }),
        )
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  async #deliver(key: string, silent: Map<string, number>, signal: AbortSignal): Promise<void> {
    const { store } = this.#dependencies
    const now = this.#seconds()
    const delivery = await readDue(store, key)
    if (!delivery) return this.#removeUnreadable(key, now)
    const next = nextDue(delivery, now)
    const successor = { ...delivery, tries: delivery.tries + 1 }
    const isOurs = next === undefined || (await createDue(store, next, successor))
    await store.delete([key])
    if (!isOurs) return
    if (isOver(delivery, now)) return this.#giveUp(delivery)
    if (!delivery.message) return this.#look(delivery, next, signal)
    const error = await this.#try(delivery, delivery.message, silent, signal)
    if (error === undefined) return this.#delivered(successor, next)
    if (!isLast(delivery, now)) return this.#postponed(successor, next, error)
    await this.#remove(next)
    await this.#giveUp(successor)
  }

  /** Looks for the outcome of an upload whose process has told nothing. */
  async #look(delivery: Delivery, next: DueKey | undefined, signal: AbortSignal): Promise<void> {
    const outcome = await this.#dependencies.outcomeOf(delivery.uploadId)
    if (outcome === 'pending') return
    if (outcome !== 'gone') await this.#begin(delivery, messageOf(delivery.uploadId, outcome), signal)
    await this.#remove(next)
  }

  /** Begins to tell an outcome that nothing tells yet. */
  async #begin(
    { url, uploadId, client }: AskedCallback,
    message: Message,
    signal: AbortSignal,
  ): Promise<void> {
    const { store } = this.#dependencies
    if ((await readTold(store, uploadId))?.message.id === message.id) return
    const delivery = { url, uploadId, client, since: this.#seconds(), tries: 0, message }
    const next = nextDue(delivery, delivery.since)
    // Another host that goes on takes all of the first tries for made.
    const successor = { ...delivery, tries: PAUSES_MS.length }
    if (next === undefined || !(await createDue(store, next, successor))) return
    await writeTold(store, uploadId, { message, state: 'pending', tries: 0, nextAt: next.dueAt })
    let tries = 0
    let error: unknown
    for (const pauseMs of PAUSES_MS) {
      tries += 1
      error = await this.#try(delivery, message, new Map(), signal)
      if (error === undefined || pauseMs === undefined || signal.aborted) break
      await sleep(this.#dependencies.clock, pauseMs, signal).catch(() => undefined)
    }
    if (error === undefined) await this.#delivered({ ...delivery, tries }, next)
    else await this.#postponed({ ...delivery, tries }, next, error)
  }

  /** @returns why it did not arrive; undefined when it did */
  async #try(
    { url, client }: Delivery,
    message: Message,
    silent: Map<string, number>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { settings } = this.#dependencies
    const { origin } = new URL(url)
    const secrets = callbacksOf(settings, client)?.secrets ?? []
    if (secrets.length === 0 || !this.#isAllowed(url, client))
      return new Error('The settings of this host do not allow it (any more).')
    if ((silent.get(origin) ?? 0) >= MAX_SILENT) return new Error('Its origin has not answered others.')
    const time = signal.aborted ? { ms: LAST_MS, signal: undefined } : { ms: TRY_MS, signal }
    try {
      const status = await postSigned(this.#dependencies, url, message, secrets, time)
      silent.delete(origin)
      return status >= 200 && status < 300 ? undefined : new Error(`It was answered with ${status}.`)
    } catch (error) {
      silent.set(origin, (silent.get(origin) ?? 0) + 1)
      return error
    }
  }

  #isAllowed(url: string, client: string | undefined): boolean {
    const { origin, username, password } = URL.canParse(url) ? new URL(url) : { origin: '' }
    const allowed = callbacksOf(this.#dependencies.settings, client)?.origins ?? []
    return allowed.includes(origin) && !username && !password
  }

  async #delivered({ uploadId, client, tries, message }: Delivery, next: DueKey | undefined): Promise<void> {
    const { store, onEnd } = this.#dependencies
    await this.#remove(next)
    if (message) await writeTold(store, uploadId, { message, state: 'delivered', tries, nextAt: undefined })
    onEnd?.('delivered', client)
  }

  async #postponed(
    { url, uploadId, client, tries, message }: Delivery,
    next: DueKey | undefined,
    error: unknown,
  ): Promise<void> {
    const { store, log } = this.#dependencies
    const nextAt = next?.dueAt
    if (message) await writeTold(store, uploadId, { message, state: 'pending', tries, nextAt })
    const { origin } = new URL(url)
    log.warn('a callback was not delivered', { origin, client, tries, next_at: nextAt, error: String(error) })
  }

  async #giveUp({ url, uploadId, client, tries, message }: Delivery): Promise<void> {
    const { store, log, onEnd } = this.#dependencies
    if (message) await writeTold(store, uploadId, { message, state: 'given_up', tries, nextAt: undefined })
    const { origin } = new URL(url)
    log.warn('a callback was given up', { origin, client, upload_id: uploadId, tries })
    onEnd?.('given_up', client)
  }

  async #removeUnreadable(key: string, now: number): Promise<void> {
    const dueAt = Number(/(\d{11})-[0-9a-f]{32}$/.exec(key)?.[1])
    if (now - dueAt > UNREADABLE_SECONDS) await this.#dependencies.store.delete([key])
  }

  async #remove(due: DueKey | undefined): Promise<void> {
    if (due) await this.#dependencies.store.delete([due.key])
  }

  #seconds(): number {
    return Math.floor(this.#dependencies.clock.unixTime() / 1000)
  }
}

function messageOf(uploadId: string, { updatedAt, body }: Exclude<UploadOutcome, string>): Message {
  return { id: `${uploadId}-${updatedAt}`, body: JSON.stringify({ upload_id: uploadId, ...body }) }
}
