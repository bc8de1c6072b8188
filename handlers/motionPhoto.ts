import { motionPhotoRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'
import { encodingTools } from './encoding/compose'

/** POST /motion-photo */
export const handler = mediaHandler((shared) => motionPhotoRoutes(shared, encodingTools(shared)))
