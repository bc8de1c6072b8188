import { healthRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** HEAD and GET /health */
export const handler = mediaHandler((shared) => healthRoutes(shared, findFfmpeg(shared)))
