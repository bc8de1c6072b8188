import { convertRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'
import { encodingTools } from './encoding/compose'

/** POST /convert */
export const handler = mediaHandler((shared) => convertRoutes(shared, encodingTools(shared)))
