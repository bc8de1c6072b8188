import { healthRoute } from '../core/media/api/service'
import { createReadiness } from '../core/media/readiness'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** HEAD and GET /health */
export const handler = mediaHandler((shared) => [
  healthRoute(
    createReadiness({
      ...shared,
      ffmpeg: findFfmpeg(shared),
    }),
  ),
])
