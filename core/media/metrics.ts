import type { Log } from '@lantern-room/base'
import { shownClient } from '@lantern-room/clients'
import type { Metrics } from './ports'

/**
 * Writes the figures to the log, for hosts without a metrics service.
 * @example logMetrics(log).counted('SweptSessions', 2)
 */
export function logMetrics(log: Log): Metrics {
  return {
    counted: (what, count, client) => log.info('counted', { what, count, ...shownClient({ name: client }) }),
    prepared: ({ sessionId, client, uploadBytes, previewMs, tookMs }) =>
      log.info('prepared', {
        session_id: sessionId,
        ...shownClient({ name: client }),
        upload_bytes: uploadBytes,
        duration_ms: previewMs,
        took_ms: tookMs,
      }),
    converted: ({ sessionId, client, photoBytes, tookMs }) =>
      log.info('converted', {
        ...(sessionId !== undefined && { session_id: sessionId }),
        ...shownClient({ name: client }),
        bytes: photoBytes,
        took_ms: tookMs,
      }),
  }
}
