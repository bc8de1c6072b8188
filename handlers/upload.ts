import { storeHandler } from './compose'

/** POST /uploads and PUT /uploads/{upload_id} */
export const handler = storeHandler()
