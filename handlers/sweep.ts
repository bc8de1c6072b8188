import { sweepHandler } from './compose'

/** By the clock: removes expired sessions, and what was never finished */
export const handler = sweepHandler()
