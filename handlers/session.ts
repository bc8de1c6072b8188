import { storeHandler } from './compose'

/** GET /sessions/{session_id} */
export const handler = storeHandler()
