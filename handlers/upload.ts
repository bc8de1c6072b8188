import { receiveBody } from '@lantern-room/adapters/forms'
import {
  allowUpload,
  allowUploadRoute,
  cancelUpload,
  cancelUploadRoute,
  followUpload,
  followUploadRoute,
  receiveUpload,
  receiveUploadRoute,
} from '@lantern-room/media'
import { composeUploads, mediaHandler } from './compose'

/** POST /uploads, and PUT, GET and DELETE /uploads/{upload_id} */
export const handler = mediaHandler((shared) => {
  const parts = { ...composeUploads(shared), receiveBody }
  return [
    allowUploadRoute((file, client) => allowUpload(parts, file, client)),
    followUploadRoute((id) => followUpload(parts, id)),
    cancelUploadRoute((id) => cancelUpload(parts, id)),
    receiveUploadRoute((id, request, signal) => receiveUpload(parts, id, request, signal)),
  ]
})
