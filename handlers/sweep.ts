import { postText } from '@lantern-room/adapters/network'
import { callbackDelivery, sweepStore } from '@lantern-room/media/functions'
import { eventHandler } from './compose'

/** Of the function's 300 s, of which a sweep takes up to 240. */
const CALLBACKS_MS = 45_000

/** By schedule: tries callbacks that are due, and removes expired sessions and uploads, and what was never finished */
export const handler = eventHandler('swept', async (shared, _event, signal) => {
  // First, since a sweep may take all of the function's time.
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(CALLBACKS_MS)])
  await callbackDelivery(shared, postText)?.(inTime)
  const swept = await sweepStore(shared)
  if (!swept) return { skipped: true }
  shared.metrics.counted('SweptSessions', swept.sessions)
  shared.metrics.counted('SweptUploads', swept.uploads)
  return swept
})
