import { thumbnailHandler } from './compose'

/** POST /thumbnail */
export const handler = thumbnailHandler()
