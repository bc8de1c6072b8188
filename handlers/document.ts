import { mediaHandler } from './compose'

/** GET / and GET /openapi.json */
export const handler = mediaHandler()
