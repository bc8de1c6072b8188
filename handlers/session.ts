import { sessionRoute } from '../core/media/api/sessions'
import { stripRoute } from '../core/media/api/strip'
import { mediaHandler } from './compose'

/** GET and HEAD /sessions/{session_id} and its strip.jpg */
export const handler = mediaHandler(({ sessions, sessionTtlSeconds }) => [
  sessionRoute(sessions, sessionTtlSeconds),
  stripRoute(sessions),
])
