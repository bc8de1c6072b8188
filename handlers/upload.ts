import { receiveBody } from '@lantern-room/adapters/forms'
import { uploadRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'

/** POST /uploads, and PUT, GET and DELETE /uploads/{upload_id} */
export const handler = mediaHandler((shared) => uploadRoutes(shared, receiveBody))
