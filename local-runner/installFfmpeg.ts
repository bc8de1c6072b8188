import { ServiceError } from '@lantern-room/base'
import { locateOrInstallFfmpeg } from './compose'

/** Before tests and other programs that need an ffmpeg: installs one where there is none and that is possible. */
locateOrInstallFfmpeg().catch((error: unknown) => {
  console.error(error instanceof ServiceError ? error.message : error)
  process.exit(1)
})
