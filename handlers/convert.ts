import { convertRoute } from '../core/media/api/convert'
import { createConverter } from '../core/media/convert/convertForm'
import { mediaHandler } from './compose'
import { composeEncoding } from './encoding/compose'

/** POST /convert */
export const handler = mediaHandler((shared) => [
  convertRoute(createConverter({ ...shared, ...composeEncoding(shared) })),
])
