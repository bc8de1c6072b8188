import { Quotas } from '@lantern-room/clients'
import type { MediaConfig } from './config'
import type { MediaParts } from './parts'

/** The quotas of a host, which tells its metrics of each refusal. */
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
