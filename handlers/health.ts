import { createReadiness, healthRoute } from '@lantern-room/media'
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
