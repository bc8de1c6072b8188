import { previewRoute } from '../core/media/api/preview'
import { mediaHandler } from './compose'

/** GET and HEAD /preview/{session_id}.mp4 */
export const handler = mediaHandler(({ sessions }) => [previewRoute(sessions)])
