import { sessionRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'

/** GET and HEAD /sessions/{session_id} and its strip.jpg */
export const handler = mediaHandler((shared) => sessionRoutes(shared))
