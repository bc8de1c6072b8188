import { mediaHandler } from './compose'

/** POST /convert */
export const handler = mediaHandler()
