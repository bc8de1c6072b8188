import { createMotionPhoto, motionPhotoRoute } from '@lantern-room/media'
import { mediaHandler } from './compose'
import { composePreparing } from './encoding/compose'

/** POST /motion-photo */
export const handler = mediaHandler((shared) => {
  const dependencies = composePreparing(shared)
  return [motionPhotoRoute((request, caller) => createMotionPhoto(dependencies, request, caller))]
})
