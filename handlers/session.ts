import { sessionRoute } from '../core/media/api/sessions'
import { mediaHandler } from './compose'

/** GET /sessions/{session_id} */
export const handler = mediaHandler(({ sessions, sessionTtlSeconds }) => [
  sessionRoute(sessions, sessionTtlSeconds),
])
