import { healthHandler } from './compose'

/** GET / and GET /openapi.json, and 404 for what there is not */
export const handler = healthHandler()
