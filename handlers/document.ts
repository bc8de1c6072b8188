import { documentRoutes } from '@lantern-room/media/functions'
import { mediaHandler } from './compose'

/** GET / and GET /openapi.json, and 404 for every path that does not exist */
export const handler = mediaHandler(({ version }) => documentRoutes(version))
