import { mediaHandler } from './compose'

/** POST /thumbnail */
export const handler = mediaHandler()
