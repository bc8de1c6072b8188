import { sessionRoute } from '../core/media/api/sessions'
import { stripRoute } from '../core/media/api/strip'
import { mediaHandler } from './compose'

/** GET and HEAD /sessions/{session_id} and its strip.jpg */
export const handler = mediaHandler(({ sessions }) => [sessionRoute(sessions), stripRoute(sessions)])
