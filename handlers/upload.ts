import { mediaHandler } from './compose'

/** POST /uploads and PUT /uploads/{upload_id} */
export const handler = mediaHandler()
