import { storeHandler } from './compose'

/** POST /cleanup */
export const handler = storeHandler()
