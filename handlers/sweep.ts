import { sweepStore } from '../core/media/sweep'
import { Uploads } from '../core/media/uploads/uploads'
import { scheduledHandler } from './compose'

/** By schedule: removes expired sessions and uploads, and what was never finished */
export const handler = scheduledHandler('swept', async (shared) => {
  const swept = await sweepStore({ ...shared, uploads: new Uploads(shared) })
  return swept ?? { skipped: true }
})
