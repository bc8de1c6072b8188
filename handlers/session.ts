import { mediaHandler } from './compose'

/** GET /sessions/{session_id} */
export const handler = mediaHandler()
