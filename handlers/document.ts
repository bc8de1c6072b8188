import { documentRoute } from '../core/media/api/document'
import { pageRoute } from '../core/media/api/page'
import { checkHealth } from '../core/media/checkHealth'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** GET / and GET /openapi.json, and 404 for every path that does not exist */
export const handler = mediaHandler(({ config, store, version }) => {
  const ffmpeg = findFfmpeg(config)
  return [pageRoute(() => checkHealth({ store, ffmpeg }), version), documentRoute(version)]
})
