import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { Quotas } from '@lantern-room/clients'
import type { MediaLimits } from '../config'
import type { ObjectStore } from '../objectStore/ports'
import type { Metrics, ReceiveBody, WorkFolders } from '../ports'
import { isExpired, isId, newId } from '../sessions/session'
import type { StorageQuota } from '../sessions/storageQuota'
import { type Asked, keepAsked } from './asked'
import {
  type Claim,
  claimKeys,
  isFirst,
  isLost,
  MAX_CLAIMS,
  mustHold,
  randomMark,
  settleEarlier,
  takeClaim,
} from './claims'
import {
  ACCEPTED_TTL_SECONDS,
  decodeUpload,
  encodeUpload,
  UPLOAD_TTL_SECONDS,
  type Upload,
  uploadKeys,
} from './upload'
import { otherSize, UploadError } from './uploadErrors'
import { isFinal, readStatus, statusAfter, type UploadStatus, writeStatus } from './uploadStatus'
import { type Watched, type Watcher, watchUpload } from './watchUpload'

export type UploadUse<T> = {
  /**
   * Gets the upload, whose file is there and has its size.
   * @param sessionId of the session that it shall make; undefined where it makes none
   */
  readonly work: (upload: Upload, key: string, watched: Watched, sessionId: string | undefined) => Promise<T>
  /**
   * Only for work that makes a session: prevents the session of an earlier worker, who was silent for too long.
   * @returns it if it was stored before
   */
  readonly settle?: ((sessionId: string) => Promise<T | undefined>) | undefined
  /** What the session is of the upload, by which a repeated request is told from another one. @default nothing to tell */
  readonly part?: string | undefined
}

/** The parts of a host that calls about uploads use. */
export type UploadParts = Pick<UploadsDependencies, 'store' | 'clock'> & {
  readonly uploads: Uploads
  readonly quota: StorageQuota
  readonly quotas: Quotas
  readonly limits: MediaLimits
  readonly workFolders: WorkFolders
  readonly receiveBody: ReceiveBody
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

export type UploadsDependencies = {
  readonly store: ObjectStore
  readonly clock: Pick<Clock, 'now' | 'unixTime' | 'after'>
  readonly log: Log
  readonly metrics: Pick<Metrics, 'counted'>
}

export class Uploads {
  readonly #dependencies: UploadsDependencies

  constructor(dependencies: UploadsDependencies) {
    this.#dependencies = dependencies
  }

  /** Allows one file of this size and type. */
  async create({ size, contentType }: Pick<Upload, 'size' | 'contentType'>): Promise<Upload> {
    const createdAt = this.#seconds()
    const expiresAt = createdAt + UPLOAD_TTL_SECONDS
    const upload = { id: newId(), createdAt, expiresAt, size, contentType }
    await this.#store.createBytes(uploadKeys(upload.id).record, encodeUpload(upload), {
      contentType: 'application/json',
    })
    return upload
  }

  /** @throws ServiceError `not-found` for an unknown, used, expired or malformed id */
  async find(id: string): Promise<Upload> {
    const bytes = isId(id) ? await this.#store.get(uploadKeys(id).record) : undefined
    const upload = bytes && decodeUpload(bytes)
    const nowMs = this.#dependencies.clock.unixTime()
    if (upload && !isExpired(upload.expiresAt, nowMs)) return upload
    const expiresAt = upload && upload.createdAt + ACCEPTED_TTL_SECONDS
    const isAccepted =
      expiresAt && !isExpired(expiresAt, nowMs) && (await this.#store.head(uploadKeys(id).asked))
    if (!isAccepted) throw new UploadError('unknown')
    return { ...upload, expiresAt }
  }

  /**
   * Notes how an upload is to be prepared that no request waits for, before that is sent to a queue.
   * @throws ServiceError as `find`; `conflict` when its file has not arrived, `invalid-request` when it has another size
   */
  async accept(id: string, wish: Asked): Promise<void> {
    const { clock } = this.#dependencies
    await this.#mustBeComplete(await this.find(id))
    await keepAsked(this.#store, id, wish)
    // How an earlier attempt has failed is no longer true.
    const status = await readStatus(this.#store, id, clock.unixTime())
    if (status?.state === 'failed') await this.#store.delete([uploadKeys(id).status])
  }

  /** Tells of what was accepted and then refused before it was used that nothing goes on by itself. Used uploads tell their own end. */
  async refuse(id: string, error: unknown): Promise<void> {
    const { asked, again, claim } = uploadKeys(id)
    const outcome = statusAfter(error, this.#seconds())
    const [waiting, claimed] = await Promise.all([this.#store.head(asked), this.#store.head(claim)])
    if (!outcome || !waiting || claimed) return
    await writeStatus(this.#store, id, outcome)
    await this.#store.delete([asked, again])
  }

  /** @returns the session that an upload has become, if it was asked for the same part; undefined otherwise */
  async sessionOf(id: string, part: string): Promise<string | undefined> {
    const status = await readStatus(this.#store, id, this.#dependencies.clock.unixTime())
    if (status?.state !== 'done') return undefined
    return status.part === undefined || status.part === part ? status.session_id : undefined
  }

  /** @throws ServiceError `conflict` when the upload has its file already */
  async mustBeEmpty({ id }: Upload): Promise<void> {
    if (await this.#store.head(uploadKeys(id).file)) throw new UploadError('taken')
  }

  /** Stores a local file, which the store takes, as the upload's. @throws ServiceError as `find` and `mustBeEmpty` */
  async put({ id, contentType }: Upload, path: string): Promise<void> {
    const { file, stored } = uploadKeys(id)
    // The upload may have been used or have expired while its bytes arrived.
    await this.find(id)
    if (!(await isFirst(this.#store, stored))) throw new UploadError('taken')
    try {
      await this.#store.putFile(file, path, { contentType, consume: true })
    } catch (error) {
      await this.#tidy(this.#store.delete([stored]))
      throw error
    }
  }

  /**
   * Uses an upload up: one caller at a time, on however many machines. When `work` succeeds or finds the file to be bad,
   * or the upload is cancelled, it is removed; after any other failure it can be used again. What is left of a removed
   * upload is its status, until the sweep. A caller that gives no sign of work for half a minute loses it to the next one,
   * and its session can then no longer be stored.
   * @throws ServiceError as `find`; `conflict` when it is in use, was cancelled or taken over, or its file has not arrived
   *   yet
   * @see docs/decisions.md, D17
   */
  async use<T>(id: string, watcher: Watcher, { work, settle, part }: UploadUse<T>): Promise<T> {
    const upload = await this.find(id)
    const sessionId = settle && newId()
    const claim = await this.#claim(id, sessionId ?? randomMark())
    if (claim.rank > 1) this.#dependencies.metrics.counted('ClaimsTakenOver', 1)
    const mustBeHeld = () => mustHold(this.#store, id, claim)
    try {
      const earlier = settle && (await settleEarlier(claim, settle))
      if (!earlier && claim.rank > MAX_CLAIMS) throw new UploadError('hopeless')
      const worked = async (watched: Watched) => work(upload, uploadKeys(id).file, watched, sessionId)
      const watch = async () => {
        await this.#mustBeComplete(upload)
        return watchUpload(this.#dependencies, id, 'preparing', watcher, worked, mustBeHeld)
      }
      const done = earlier ?? { sessionId, result: await watch() }
      await this.#finish(id, { state: 'done', session_id: done.sessionId, part, updated_at: this.#seconds() })
      return done.result
    } catch (error) {
      const mayFinish = !(await isLost(this.#store, id, claim).catch(() => false))
      const outcome = watcher.isRepeated?.(error) ? undefined : statusAfter(error, this.#seconds())
      if (mayFinish) await this.#finish(id, outcome)
      throw error
    }
  }

  /** Receives the file of an upload, which can be followed and cancelled meanwhile. */
  async receive({ id }: Upload, watcher: Watcher, work: (watched: Watched) => Promise<void>): Promise<void> {
    try {
      await watchUpload(this.#dependencies, id, 'receiving', watcher, work)
    } finally {
      const { status, cancel } = uploadKeys(id)
      const isCancelled = (await this.#store.head(cancel).catch(() => undefined)) !== undefined
      if (isCancelled) await this.#finish(id, { state: 'cancelled', updated_at: this.#seconds() })
      else await this.#tidy(this.#store.delete([status]))
    }
  }

  /** Removes an upload, as far as there is any of it, and keeps its status. */
  async remove(id: string): Promise<void> {
    const { record, file, stored, asked, again, cancel } = uploadKeys(id)
    await this.#store.delete([record, file, stored, asked, again])
    // The claims are removed last: a caller that can claim the upload afterwards finds no file.
    await this.#store.delete([...claimKeys(id), cancel])
  }

  get #store(): ObjectStore {
    return this.#dependencies.store
  }

  #seconds(): number {
    return Math.floor(this.#dependencies.clock.unixTime() / 1000)
  }

  async #claim(id: string, mark: string): Promise<Claim> {
    const nowMs = this.#dependencies.clock.unixTime()
    return takeClaim(this.#store, id, mark, nowMs).catch(async (error: unknown) => {
      // A claim stays until everything else of a finished upload is removed.
      const status = await readStatus(this.#store, id, nowMs)
      throw status && isFinal(status) ? new UploadError('unknown') : error
    })
  }

  async #mustBeComplete({ id, size }: Upload): Promise<void> {
    const head = await this.#store.head(uploadKeys(id).file)
    // Whoever used the upload up meanwhile has removed its record together with its file.
    if (!head) await this.find(id)
    if (!head) throw new UploadError('notThere')
    if (head.size !== size) throw otherSize(size)
  }

  /** Tells how work on an upload has ended, then removes it or lets it be used again. Never rejects. */
  async #finish(id: string, outcome: UploadStatus | undefined): Promise<void> {
    if (outcome) await this.#tidy(writeStatus(this.#store, id, outcome))
    const isOver = outcome !== undefined && isFinal(outcome)
    const { asked, again } = uploadKeys(id)
    // What has failed does not go on by itself.
    const left = outcome ? [...claimKeys(id), asked, again] : claimKeys(id)
    await this.#tidy(isOver ? this.remove(id) : this.#store.delete(left))
  }

  /** Removes objects as far as possible: what stays behind is unusable, and the sweep removes it. */
  async #tidy(removal: Promise<void>): Promise<void> {
    const { log } = this.#dependencies
    await removal.catch((error: unknown) => log.warn('an upload was not removed', { error: String(error) }))
  }
}
