import { previewRoutes } from '@lantern-room/media/functions'
import { maxResponseBytes, mediaHandler } from './compose'

/** GET and HEAD /preview/{session_id}.mp4 */
export const handler = mediaHandler((shared) => previewRoutes(shared, maxResponseBytes))
