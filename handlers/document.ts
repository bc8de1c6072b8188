import { documentRoute, pageRoute } from '../core/media/api/service'
import { mediaHandler } from './compose'

/** GET / and GET /openapi.json, and 404 for every path that does not exist. What the function of /health knows is not known here. */
export const handler = mediaHandler(({ version }) => [
  pageRoute({ remembered: () => undefined }, version),
  documentRoute(version),
])
