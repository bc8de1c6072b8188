import { mediaHandler } from './compose'

/** HEAD and GET /health */
export const handler = mediaHandler()
