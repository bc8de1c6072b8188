import { prepareHandler } from './compose'

/** POST /prepare */
export const handler = prepareHandler()
