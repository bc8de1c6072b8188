import { sweepStore } from '@lantern-room/media/functions'
import { eventHandler } from './compose'

/** By schedule: removes expired sessions and uploads, and what was never finished */
export const handler = eventHandler('swept', async (shared) => {
  const swept = await sweepStore(shared)
  if (!swept) return { skipped: true }
  shared.metrics.counted('SweptSessions', swept.sessions)
  shared.metrics.counted('SweptUploads', swept.uploads)
  return swept
})
