import { healthRoute } from '../core/media/api/health'
import { checkHealth } from '../core/media/checkHealth'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** HEAD and GET /health */
export const handler = mediaHandler(({ config, store }) => {
  const ffmpeg = findFfmpeg(config)
  return [healthRoute(() => checkHealth({ store, ffmpeg }))]
})
