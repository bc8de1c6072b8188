import { healthHandler } from './compose'

/** HEAD and GET /health */
export const handler = healthHandler()
