import { cleanupRoute } from '@lantern-room/media'
import { mediaHandler } from './compose'

/** POST /cleanup */
export const handler = mediaHandler(({ sessions, store }) => [cleanupRoute(sessions, store)])
