import { openFileSource } from '../core/adapters/files/fileSource'
import { prepareRoute } from '../core/media/api/prepare'
import { createSession } from '../core/media/prepare/createSession'
import { composeUploads, mediaHandler } from './compose'
import { composeEncoding } from './encoding/compose'

/** POST /prepare */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...composeUploads(shared),
    ...composeEncoding(shared),
    openFile: openFileSource,
  }
  return [prepareRoute((...asked) => createSession(dependencies, ...asked), shared)]
})
