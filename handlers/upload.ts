import { receiveBody } from '../core/adapters/forms/receiveBody'
import {
  allowUploadRoute,
  cancelUploadRoute,
  followUploadRoute,
  receiveUploadRoute,
} from '../core/media/api/uploads'
import { allowUpload } from '../core/media/uploads/allowUpload'
import { cancelUpload, followUpload } from '../core/media/uploads/followUpload'
import { receiveUpload } from '../core/media/uploads/receiveUpload'
import { composeUploads, mediaHandler } from './compose'

/** POST /uploads, and PUT, GET and DELETE /uploads/{upload_id} */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...composeUploads(shared),
    receiveBody,
  }
  return [
    allowUploadRoute((file, client) => allowUpload(dependencies, file, client)),
    followUploadRoute((id) => followUpload(dependencies, id)),
    cancelUploadRoute((id) => cancelUpload(dependencies, id)),
    receiveUploadRoute((id, request, signal) => receiveUpload(dependencies, id, request, signal)),
  ]
})
