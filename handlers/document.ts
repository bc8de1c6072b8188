import { documentRoute, pageRoute, servicePage } from '../core/media/api/service'
import { mediaHandler } from './compose'

/** GET / and GET /openapi.json, and 404 for every path that does not exist */
export const handler = mediaHandler(({ version }) => [
  pageRoute(servicePage(version)),
  documentRoute(version),
])
