import type { Log } from '@lantern-room/base'
import { Callbacks, type PostText, Quotas, type UploadOutcome } from '@lantern-room/clients'
import type { MediaConfig } from './config'
import type { MediaParts } from './parts'
import { describeUpload, followUpload } from './uploads/followUpload'
import { uploadKeys } from './uploads/upload'
import { UploadError } from './uploads/uploadErrors'

/** What a host has for its clients, composed for hosts of the whole API and for those with a function for each group of routes. */

/** Tells the metrics of each refusal. */
export function quotasOf({
  store,
  clock,
  metrics,
  config,
}: Pick<MediaParts, 'store' | 'clock' | 'metrics'> & {
  readonly config: Pick<MediaConfig, 'clientQuotas'>
}): Quotas {
  const onRefused = (client: string) => metrics.counted('QuotaRefusals', 1, client)
  return new Quotas({ store, clock, settings: config.clientQuotas, onRefused })
}

/** Whether clients are told apart behind a queue, too, so that they take turns there. */
export function haveTurns({ tokens }: Pick<MediaConfig, 'tokens'>): boolean {
  return tokens.some(({ name }) => name !== undefined)
}

type CallbackParts = Pick<MediaParts, 'store' | 'clock' | 'metrics' | 'uploads'> & {
  readonly config: Pick<MediaConfig, 'callbacks'>
  readonly log: Pick<Log, 'warn'>
}

/** Tells the metrics how each callback has ended. */
export function createCallbacks(parts: CallbackParts, post: PostText): Callbacks {
  const { store, clock, metrics, config, log } = parts
  return new Callbacks({
    store,
    clock,
    log,
    post,
    settings: config.callbacks,
    outcomeOf: (id) => outcomeOf(parts, id),
    onEnd: (how, client) =>
      metrics.counted(how === 'delivered' ? 'CallbacksDelivered' : 'CallbacksGivenUp', 1, client),
  })
}

/** Whether any client may have callbacks. */
export function hasCallbacks({ callbacks }: Pick<MediaConfig, 'callbacks'>): boolean {
  return callbacks.everyone !== undefined || callbacks.byName.size > 0
}

async function outcomeOf(
  parts: Pick<MediaParts, 'store' | 'clock' | 'uploads'>,
  id: string,
): Promise<UploadOutcome> {
  // What was asked for without a request that waits goes on by itself, here or elsewhere.
  const goesOn = async () => (await parts.store.head(uploadKeys(id).asked)) !== undefined
  try {
    const progress = await followUpload(parts, id, goesOn)
    const hasEnded = ['done', 'failed', 'cancelled'].includes(progress.state)
    if (!progress.status || !hasEnded) return 'pending'
    return { updatedAt: progress.status.updated_at, body: describeUpload(progress) }
  } catch (error) {
    if (error instanceof UploadError && error.refusal === 'unknown') return 'gone'
    throw error
  }
}
