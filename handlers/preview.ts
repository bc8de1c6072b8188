import { previewRoute } from '../core/media/api/preview'
import { previewLinks } from '../core/media/sessions/previewLinks'
import { maxResponseBytes, mediaHandler } from './compose'

/** GET and HEAD /preview/{session_id}.mp4 */
export const handler = mediaHandler(({ sessions, store, config }) => [
  previewRoute(sessions, previewLinks(store, config, maxResponseBytes)),
])
