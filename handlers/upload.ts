import { receiveBody } from '../core/adapters/forms/receiveBody'
import {
  allowUploadRoute,
  cancelUploadRoute,
  followUploadRoute,
  receiveUploadRoute,
} from '../core/media/api/uploads'
import { cancelUpload, followUpload } from '../core/media/uploads/followUpload'
import { allowUpload, receiveUpload } from '../core/media/uploads/receiveUpload'
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
