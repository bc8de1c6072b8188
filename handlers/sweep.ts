import { createUploads } from '../core/media/uploads/uploads'
import { scheduledHandler } from './compose'

/** By schedule: removes expired sessions and uploads, and what was never finished */
export const handler = scheduledHandler('swept', async (shared) => ({
  sessions: await shared.sessions.sweep(),
  uploads: await createUploads(shared).sweep(),
}))
