import type { Log } from '@lantern-room/base'
import type { Metrics } from './ports'

/**
 * Writes the figures to the log, for hosts without a metrics service.
 * @example logMetrics(log).counted('SweptSessions', 2)
 */
export function logMetrics(log: Log): Metrics {
  return {
    counted: (what, count) => log.info('counted', { what, count }),
    prepared: ({ sessionId, uploadBytes, previewMs, tookMs }) =>
      log.info('prepared', {
        session_id: sessionId,
        upload_bytes: uploadBytes,
        duration_ms: previewMs,
        took_ms: tookMs,
      }),
    converted: ({ sessionId, photoBytes, tookMs }) =>
      log.info('converted', {
        ...(sessionId !== undefined && { session_id: sessionId }),
        bytes: photoBytes,
        took_ms: tookMs,
      }),
  }
}
