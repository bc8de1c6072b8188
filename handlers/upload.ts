import { createWorkFolders } from '../core/adapters/files/workFolders'
import { receiveBody } from '../core/adapters/forms/receiveBody'
import { cancelUploadRoute, followUploadRoute } from '../core/media/api/uploadProgress'
import { allowUploadRoute, receiveUploadRoute } from '../core/media/api/uploads'
import { createStorageQuota } from '../core/media/storageQuota'
import { allowUpload } from '../core/media/uploads/allowUpload'
import { cancelUpload, followUpload } from '../core/media/uploads/followUpload'
import { receiveUpload } from '../core/media/uploads/receiveUpload'
import { createUploads } from '../core/media/uploads/uploads'
import { mediaHandler } from './compose'

/** POST /uploads, and PUT, GET and DELETE /uploads/{upload_id} */
export const handler = mediaHandler((shared) => {
  const workFolders = createWorkFolders({ folder: shared.workFolder })
  const dependencies = {
    ...shared,
    uploads: createUploads(shared),
    workFolders,
    quota: createStorageQuota({ ...shared, workFolders }),
    receiveBody,
  }
  return [
    allowUploadRoute((file, client) => allowUpload(dependencies, file, client)),
    followUploadRoute((id) => followUpload(dependencies, id)),
    cancelUploadRoute((id) => cancelUpload(dependencies, id)),
    receiveUploadRoute((id, request, signal) => receiveUpload(dependencies, id, request, signal)),
  ]
})
