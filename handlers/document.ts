import { documentRoute, pageRoute, servicePage } from '@lantern-room/media'
import { mediaHandler } from './compose'

/** GET / and GET /openapi.json, and 404 for every path that does not exist */
export const handler = mediaHandler(({ version }) => [
  pageRoute(servicePage(version)),
  documentRoute(version),
])
