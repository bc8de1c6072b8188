import { sweepStore } from '../core/media/sweep'
import { scheduledHandler } from './compose'

/** By schedule: removes expired sessions and uploads, and what was never finished */
export const handler = scheduledHandler('swept', async (shared) => {
  const swept = await sweepStore(shared)
  return swept ?? { skipped: true }
})
