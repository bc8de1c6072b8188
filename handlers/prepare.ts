import { openFileSource } from '../core/adapters/files/fileSource'
import { prepareRoute } from '../core/media/api/prepare'
import { createSession } from '../core/media/prepare/createSession'
import { composeUploads, isOffline, mediaHandler } from './compose'
import { composeEncoding } from './encoding/compose'

/** POST /prepare */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...composeUploads(shared),
    ...composeEncoding(shared, isOffline),
    openFile: openFileSource,
  }
  return [prepareRoute((...asked) => createSession(dependencies, ...asked), shared)]
})
