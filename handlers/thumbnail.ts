import { createSessionThumbnails, frameRoute, JobQueue, thumbnailRoute } from '@lantern-room/media'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /thumbnail, and GET and HEAD /sessions/{session_id}/frames/{n}.jpg */
export const handler = mediaHandler((shared) => {
  const thumbnails = createSessionThumbnails({
    sessions: shared.sessions,
    limits: shared.limits,
    stopping: shared.stopping,
    ffmpeg: findFfmpeg(shared),
    jobs: new JobQueue(shared.limits.maxConcurrentJobs, shared.clock),
  })
  return [thumbnailRoute(thumbnails.atTime), frameRoute(thumbnails.findFrame)]
})
