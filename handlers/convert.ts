import { convertHandler } from './compose'

/** POST /convert */
export const handler = convertHandler()
