import { openFileSource } from '../core/adapters/files/fileSource'
import { motionPhotoRoute } from '../core/media/api/convert'
import { createMotionPhoto } from '../core/media/oneShot/createMotionPhoto'
import { composeUploads, mediaHandler } from './compose'
import { composeEncoding } from './encoding/compose'

/** POST /motion-photo */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...composeUploads(shared),
    ...composeEncoding(shared),
    openFile: openFileSource,
  }
  return [motionPhotoRoute((request, caller) => createMotionPhoto(dependencies, request, caller))]
})
