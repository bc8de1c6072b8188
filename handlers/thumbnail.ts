import { thumbnailRoute } from '../core/media/api/thumbnail'
import { createSessionThumbnails } from '../core/media/convert/sessionThumbnails'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /thumbnail */
export const handler = mediaHandler((shared) => [
  thumbnailRoute(createSessionThumbnails({ ...shared, ffmpeg: findFfmpeg(shared) })),
])
