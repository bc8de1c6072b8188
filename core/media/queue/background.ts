import type { Log } from '@lantern-room/base'
import { createDeferred } from '@lantern-room/base/async'
import { type Client, clientNamed } from '@lantern-room/clients'
import type { CreateSession, PrepareLater } from '../api/prepare'
import type { MediaConfig } from '../config'
import type { MediaParts } from '../parts'
import type { OnProgress } from '../progress'
import { type Asked, keepAsked, type Resume, readAsked } from '../uploads/asked'
import { followUpload } from '../uploads/followUpload'
import { askedRequest } from './askedRequest'

type BackgroundParts = Pick<MediaParts, 'store' | 'uploads' | 'clock' | 'stopping'> & {
  readonly log: Pick<Log, 'warn'>
  readonly createSession: CreateSession
  readonly tokens: MediaConfig['tokens']
}

/** Preparing uploads on this host after the request for it was answered, where there is no queue. */
export class Background {
  readonly #parts: BackgroundParts
  readonly #running = new Set<Promise<void>>()
  /** What this host does with work whose process has ended, here or elsewhere. */
  readonly resume: Resume

  constructor(parts: BackgroundParts) {
    this.#parts = parts
    this.resume = async (id) => {
      const wish = await readAsked(parts.store, id)
      if (wish) this.#resume(wish)
      return wish !== undefined
    }
  }

  /** Resolves when work can no longer be refused at once, or is done. It goes on, and how it ends is told by the upload. */
  readonly later: PrepareLater = async (fields, client) => {
    const { store } = this.#parts
    const wish: Asked = { version: 1, fields: Object.fromEntries(fields), client: client.name }
    const kept = { isKept: false }
    const session = await this.#begin(wish, client, () => kept.isKept)
    if (session) return session
    await keepAsked(store, fields.get('upload_id') ?? '', wish).then(
      () => {
        kept.isKept = true
      },
      (error: unknown) => this.#parts.log.warn('what was asked for was not kept', { error: String(error) }),
    )
    return 'preparing'
  }

  /** Goes on with everything whose process has ended, for clients that wait for their callback. */
  async resumeAll(): Promise<void> {
    const { store, uploads, clock } = this.#parts
    const parts = { store, uploads, clock }
    for await (const { key } of store.list('uploads/')) {
      const id = /^uploads\/([0-9a-f]{32})\.asked$/.exec(key)?.[1]
      if (id !== undefined) await followUpload(parts, id, this.resume).catch(() => undefined)
    }
  }

  /** Resolves when nothing is prepared any more that no request waits for. */
  async isIdle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #resume(wish: Asked): void {
    const client = clientNamed(this.#parts.tokens, wish.client, 'queue')
    // It is in use, or there is no room: whoever asks next tries again.
    this.#begin(wish, client, () => true).catch(() => undefined)
  }

  async #begin({ fields }: Asked, client: Client, isKept: () => boolean) {
    const { createSession, stopping, log } = this.#parts
    const first = createDeferred()
    let hasBegun = false
    const onProgress: OnProgress = () => {
      hasBegun = true
      first.resolve()
    }
    // When this host stops, another one goes on.
    const isRepeated = () => stopping.aborted && isKept()
    const work = createSession(askedRequest(fields), { client, signal: NEVER, isRepeated }, onProgress)
    const ended = work.then(
      () => undefined,
      (error: unknown) => {
        if (hasBegun)
          log.warn('an upload that no request waits for was not prepared', { error: String(error) })
      },
    )
    const running = ended.finally(() => this.#running.delete(running))
    this.#running.add(running)
    return Promise.race([work, first.promise])
  }
}

/** No client waits. */
const NEVER = new AbortController().signal
