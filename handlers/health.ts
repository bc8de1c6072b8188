import { healthRoute } from '../core/media/api/health'
import { createReadiness } from '../core/media/readiness'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** HEAD and GET /health */
export const handler = mediaHandler(({ config, store, clock }) => [
  healthRoute(createReadiness({ store, clock, ffmpeg: findFfmpeg(config) })),
])
