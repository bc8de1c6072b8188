import { stripRoute } from '../core/media/api/pictures'
import { sessionRoute } from '../core/media/api/sessions'
import { mediaHandler } from './compose'

/** GET and HEAD /sessions/{session_id} and its strip.jpg */
export const handler = mediaHandler(({ sessions }) => [sessionRoute(sessions), stripRoute(sessions)])
