import { mediaHandler } from './compose'

/** POST /prepare */
export const handler = mediaHandler()
