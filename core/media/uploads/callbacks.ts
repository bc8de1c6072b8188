import { createHmac } from 'node:crypto'
import type { Log } from '@lantern-room/base'
import { ServiceError, tooSlow } from '@lantern-room/base'
import { sleep, withDeadline } from '@lantern-room/base/async'
import type { CallbackSettings } from '@lantern-room/clients'
import type { PostText } from '../ports'
import { describeUpload, followUpload } from './followUpload'
import { uploadKeys } from './upload'
import { isFinal } from './uploadStatus'
import type { UploadParts } from './uploads'

/** Tells a client's server how an upload has ended, by a signed request. */

type CallbackDependencies = Pick<UploadParts, 'store' | 'uploads' | 'clock'> & {
  readonly settings: CallbackSettings
  readonly post: PostText
  readonly log: Pick<Log, 'warn'>
}

export class Callbacks {
  readonly #dependencies: CallbackDependencies

  constructor(dependencies: CallbackDependencies) {
    this.#dependencies = dependencies
  }

  /** @throws ServiceError `invalid-request` when the URL is not allowed, or the request names no upload */
  check(url: string | undefined, uploadId: string | undefined): void {
    if (url === undefined) return
    const { origin, username, password } = URL.canParse(url) ? new URL(url) : { origin: '' }
    const isAllowed = this.#dependencies.settings.origins.includes(origin) && !username && !password
    if (isAllowed && uploadId !== undefined) return
    throw new ServiceError(
      'invalid-request',
      'callback_url needs an upload_id, and must have an origin that the setting CALLBACK_ORIGINS of the service names.',
    )
  }

  /**
   * Sends the outcome of an upload, if there is one, until it is answered with 2xx: three times within 20 s, or once within a second
   * when the signal has aborted. Never rejects. A final outcome is delivered once, whoever asked for it.
   */
  async tell(url: string, uploadId: string, signal: AbortSignal): Promise<void> {
    const { store, log } = this.#dependencies
    try {
      const progress = await followUpload(this.#dependencies, uploadId)
      const { status } = progress
      if (!status || !['done', 'failed', 'cancelled'].includes(progress.state)) return
      const { told } = uploadKeys(uploadId)
      if (isFinal(status) && (await store.head(told))) return
      const body = JSON.stringify({ upload_id: uploadId, ...describeUpload(progress) })
      await this.#deliver(url, `${uploadId}-${status.updated_at}`, body, signal)
      if (isFinal(status)) await store.putBytes(told, new Uint8Array(1), { contentType: 'text/plain' })
    } catch (error) {
      log.warn('a callback was not delivered', { origin: new URL(url).origin, error: String(error) })
    }
  }

  async #deliver(url: string, id: string, body: string, signal: AbortSignal): Promise<void> {
    for (const pauseMs of PAUSES_MS) {
      const isLast = pauseMs === undefined || signal.aborted
      const status = await this.#send(url, id, body, signal).catch((error: unknown) => error)
      if (typeof status === 'number' && status >= 200 && status < 300) return
      if (isLast) throw status instanceof Error ? status : new Error(`it was answered with ${status}`)
      await sleep(this.#dependencies.clock, pauseMs, signal).catch(() => undefined)
    }
  }

  /** @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
  #send(url: string, id: string, body: string, signal: AbortSignal): Promise<number> {
    const { clock, post, settings } = this.#dependencies
    const timestamp = Math.floor(clock.unixTime() / 1000)
    const hmac = createHmac('sha256', settings.secret ?? '').update(`${id}.${timestamp}.${body}`)
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${hmac.digest('base64')}`,
    }
    const [ms, until] = signal.aborted ? [LAST_MS, undefined] : [TRY_MS, signal]
    return withDeadline(clock, ms, until, tooSlow, (limit) => post(url, { headers, body }, limit))
  }
}

const TRY_MS = 5000
/** For the only attempt of a host that is about to stop. */
const LAST_MS = 1000
/** The pause after each attempt, in milliseconds. */
const PAUSES_MS = [1000, 3000, undefined]
