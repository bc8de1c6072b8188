import { openFileSource } from '@lantern-room/adapters/files'
import { receiveForm } from '@lantern-room/adapters/forms'
import { photoRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /inspect, POST /extract and POST /repair */
export const handler = mediaHandler((shared) =>
  photoRoutes(shared, { ffmpeg: findFfmpeg(shared), receiveForm, openFile: openFileSource }),
)
