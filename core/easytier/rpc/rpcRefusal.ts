import type { RpcProblem } from './rpcMessage'

/** Refuses a call, with a text that is written for the caller. */
export class RpcRefusal extends Error {}

const FAILED = 'the call failed'

/** The text that a caller gets for a failed call: that of any error other than `RpcRefusal` stays on this machine. */
export function rpcProblemOf(error: unknown): RpcProblem {
  return { kind: 'failed', text: error instanceof RpcRefusal ? error.message : FAILED }
}
