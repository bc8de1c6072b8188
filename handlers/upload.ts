import { receiveBody } from '@lantern-room/adapters/forms'
import {
  allowUpload,
  allowUploadRoute,
  cancelUpload,
  cancelUploadRoute,
  createStorageQuota,
  followUpload,
  followUploadRoute,
  receiveUpload,
  receiveUploadRoute,
  Uploads,
} from '@lantern-room/media'
import { mediaHandler } from './compose'

/** POST /uploads, and PUT, GET and DELETE /uploads/{upload_id} */
export const handler = mediaHandler((shared) => {
  const { store, clock, log, metrics, limits, workFolders, stopping } = shared
  const parts = {
    store,
    clock,
    limits,
    workFolders,
    stopping,
    uploads: new Uploads({ store, clock, log, metrics }),
    quota: createStorageQuota({ store, workFolders, limits, clock }),
    receiveBody,
  }
  return [
    allowUploadRoute((file, client) => allowUpload(parts, file, client)),
    followUploadRoute((id) => followUpload(parts, id)),
    cancelUploadRoute((id) => cancelUpload(parts, id)),
    receiveUploadRoute((id, request, signal) => receiveUpload(parts, id, request, signal)),
  ]
})
