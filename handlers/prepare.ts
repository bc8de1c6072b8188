import { openFileSource } from '../core/adapters/files/fileSource'
import { postText } from '../core/adapters/network/postText'
import { prepareRoute } from '../core/media/api/prepare'
import { createSession } from '../core/media/prepare/createSession'
import { Callbacks } from '../core/media/uploads/callbacks'
import { composeUploads, mediaHandler } from './compose'
import { composeEncoding } from './encoding/compose'

/** POST /prepare */
export const handler = mediaHandler((shared) => {
  const uploading = composeUploads(shared)
  const dependencies = {
    ...uploading,
    ...composeEncoding(shared),
    callbacks: new Callbacks({ ...uploading, settings: shared.callbacks, post: postText }),
    openFile: openFileSource,
  }
  return [prepareRoute((...asked) => createSession(dependencies, ...asked), shared)]
})
