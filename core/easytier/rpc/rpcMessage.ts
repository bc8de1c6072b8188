import { decodeZstd } from '../compression/zstd'
import { type Encodable, rpcRequest, rpcResponse } from '../wire/messages'

/** A whole request or response, its pieces joined. */
export type RpcMessage = {
  readonly from: number
  readonly to: number
  /** i64; a response repeats that of its request. */
  readonly transactionId: string
  readonly isRequest: boolean
  readonly method: MethodAddress
  readonly body: Uint8Array
  /** Compression of `body`: 0 and 1 none, 2 zstd. */
  readonly compression: number
}

/** The method and the network; a response repeats it. */
export type MethodAddress = {
  /** The name of the network. */
  readonly domain: string
  readonly service: string
  /** From 1. */
  readonly method: number
}

export type RpcCallBody = { readonly request: Uint8Array; readonly timeoutMs: number }

export type RpcAnswer =
  | { readonly kind: 'response'; readonly response: Uint8Array }
  | { readonly kind: 'error'; readonly error: RpcProblem }

/** Why a call failed. Real nodes send the names in it with quotation marks. */
export type RpcProblem = NonNullable<NonNullable<Encodable<typeof rpcResponse>['error']>['kind']>

/** The limit for a body, both before and after compression. */
export const MAX_RPC_BODY_SIZE = 65_536

export function encodeCallBody({ request, timeoutMs }: RpcCallBody): Uint8Array {
  return rpcRequest.encode({ request, timeoutMs })
}

export function encodeAnswerBody(answer: RpcAnswer): Uint8Array {
  return answer.kind === 'response'
    ? rpcResponse.encode({ response: answer.response })
    : rpcResponse.encode({ error: { kind: answer.error } })
}

/** @returns undefined when the message is not a request, or damaged */
export function readCall(message: RpcMessage): RpcCallBody | undefined {
  const call = message.isRequest ? plainBody(message, rpcRequest.decode) : undefined
  return call && { request: call.request, timeoutMs: call.timeoutMs }
}

/** @returns undefined when the message is not a response, or damaged */
export function readAnswer(message: RpcMessage): RpcAnswer | undefined {
  const answer = message.isRequest ? undefined : plainBody(message, rpcResponse.decode)
  if (answer === undefined) return undefined
  return answer.error === undefined
    ? { kind: 'response', response: answer.response }
    : { kind: 'error', error: answer.error.kind }
}

function plainBody<T>(message: RpcMessage, decode: (bytes: Uint8Array) => T | undefined): T | undefined {
  if (message.compression < 2) return decode(message.body)
  const body = message.compression === 2 ? decodeZstd(message.body, MAX_RPC_BODY_SIZE) : undefined
  return body && decode(body)
}

/** Refuses a call, with a text that is written for the caller. */
export class RpcRefusal extends Error {}

const FAILED = 'the call failed'

/** The text that a caller gets for a failed call: that of any error other than `RpcRefusal` stays on this machine. */
export function rpcProblemOf(error: unknown): RpcProblem {
  const errorMessage = error instanceof RpcRefusal ? error.message : FAILED
  return { case: 'executeError', value: { errorMessage } }
}
