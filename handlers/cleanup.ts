import { cleanupRoute } from '../core/media/api/cleanup'
import { mediaHandler } from './compose'

/** POST /cleanup */
export const handler = mediaHandler(({ sessions }) => [cleanupRoute(sessions)])
