import { previewLinks, previewRoute } from '@lantern-room/media'
import { maxResponseBytes, mediaHandler } from './compose'

/** GET and HEAD /preview/{session_id}.mp4 */
export const handler = mediaHandler(({ sessions, store, config }) => [
  previewRoute(sessions, previewLinks(store, config, maxResponseBytes)),
])
