import { mediaHandler } from './compose'

/** POST /cleanup */
export const handler = mediaHandler()
