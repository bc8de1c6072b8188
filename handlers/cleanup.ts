import { cleanupRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'

/** POST /cleanup */
export const handler = mediaHandler((shared) => cleanupRoutes(shared))
