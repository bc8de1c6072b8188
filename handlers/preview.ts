import { storeHandler } from './compose'

/** GET and HEAD /preview/{session_id}.mp4 */
export const handler = storeHandler()
