import { thumbnailRoute } from '../core/media/api/thumbnail'
import { createSessionThumbnails } from '../core/media/convert/sessionThumbnails'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /thumbnail */
export const handler = mediaHandler((shared) => [
  thumbnailRoute(
    createSessionThumbnails({
      ...shared,
      jobs: createJobQueue(shared.limits.maxConcurrentJobs, shared.clock),
      ffmpeg: findFfmpeg(shared),
    }),
  ),
])
