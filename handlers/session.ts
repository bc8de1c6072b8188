import { sessionRoute, stripRoute } from '@lantern-room/media'
import { mediaHandler } from './compose'

/** GET and HEAD /sessions/{session_id} and its strip.jpg */
export const handler = mediaHandler(({ sessions }) => [sessionRoute(sessions), stripRoute(sessions)])
