import { thumbnailRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /thumbnail, and GET and HEAD /sessions/{session_id}/frames/{n}.jpg */
export const handler = mediaHandler((shared) => thumbnailRoutes(shared, findFfmpeg(shared)))
