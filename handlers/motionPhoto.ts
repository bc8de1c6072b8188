import { motionPhotoRoute } from '../core/media/api/convert'
import { createMotionPhoto } from '../core/media/oneShot/createMotionPhoto'
import { mediaHandler } from './compose'
import { composePreparing } from './encoding/compose'

/** POST /motion-photo */
export const handler = mediaHandler((shared) => {
  const dependencies = composePreparing(shared)
  return [motionPhotoRoute((request, caller) => createMotionPhoto(dependencies, request, caller))]
})
