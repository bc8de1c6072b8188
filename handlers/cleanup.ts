import { cleanupRoute } from '../core/media/api/sessions'
import { mediaHandler } from './compose'

/** POST /cleanup */
export const handler = mediaHandler(({ sessions, store }) => [cleanupRoute(sessions, store)])
