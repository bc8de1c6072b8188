import { createReadiness, healthRoute } from '@lantern-room/media'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** HEAD and GET /health */
export const handler = mediaHandler((shared) => [
  healthRoute(
    createReadiness({
      store: shared.store,
      workFolders: shared.workFolders,
      clock: shared.clock,
      ffmpeg: findFfmpeg(shared),
    }),
  ),
])
