/** What other packages may use. @see core/player/README.md */

export type { PlayerErrorCode } from './clip/playerError'
export { defineMotionPhoto } from './defineMotionPhoto'
export {
  MotionPhotoElement,
  type MotionPhotoError,
  type MotionPhotoErrorEvent,
  type MotionPhotoState,
} from './element/motionPhotoElement'
