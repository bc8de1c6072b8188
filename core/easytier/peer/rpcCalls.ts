import type { Clock } from '@lantern-room/base/async'
import { createRpcAssembly } from '../rpc/rpcAssembly'
import {
  encodeAnswerBody,
  encodeCallBody,
  type RpcAnswer,
  type RpcMessage,
  type RpcProblem,
  readAnswer,
  readCall,
  rpcProblemOf,
} from '../rpc/rpcMessage'
import { decodePiece, encodePieces } from '../rpc/rpcPiece'
import { isKnownService, type RpcMethodName, rpcMethodNamed, rpcMethods } from '../wire/messages'

export type CallDone = (result: CallResult) => void
export type CallResult = RpcAnswer | { readonly kind: 'silence' }

/** Answers a call of another peer, now or later; the first reply counts. What it throws is answered as an error. */
export type RpcHandler = (request: Uint8Array, from: number, reply: (answer: RpcAnswer) => void) => void

export type RpcCallsOptions = {
  readonly ownId: number
  readonly networkName: string
  readonly clock: Clock
  readonly random32: () => number
  /** Sends the payload of one packet. @returns false when the peer is not reachable */
  readonly send: (peerId: number, isRequest: boolean, payload: Uint8Array) => boolean
  readonly onFailed?: OnCallFailed | undefined
}

/** A call of another peer failed with this error; the caller gets a neutral text. */
export type OnCallFailed = (error: unknown, method: RpcMethodName, from: number) => void

type Waiting = { readonly peerId: number; readonly done: CallDone; readonly cancel: () => void }

/** An answer for a caller that we do not know yet. */
type LateAnswer = { readonly until: number; readonly send: () => boolean }

const MAX_WAITING = 512
const MAX_LATE = 64
/** A call may overtake the record of its caller. */
const LATE_MS = 1000

/** The RPC calls of a peer: its own, and those of other peers that it answers. */
export class RpcCalls {
  readonly #options: RpcCallsOptions
  readonly #handlers = new Map<RpcMethodName, RpcHandler>()
  readonly #assembly = createRpcAssembly()
  readonly #waiting = new Map<string, Waiting>()
  #lateAnswers: readonly LateAnswer[] = []
  #transaction: number

  constructor(options: RpcCallsOptions) {
    this.#options = options
    this.#transaction = options.random32()
  }

  /** Registers what answers a method. Calls of a method without a handler are refused, and callers do not repeat them. */
  handle(method: RpcMethodName, handler: RpcHandler): void {
    this.#handlers.set(method, handler)
  }

  /** @param done called once: with the answer's bytes, or the error */
  call(peerId: number, name: RpcMethodName, request: Uint8Array, timeoutMs: number, done: CallDone): void {
    if (this.#waiting.size >= MAX_WAITING) {
      done({ kind: 'silence' })
      return
    }
    const { clock, networkName } = this.#options
    this.#transaction += 1
    const transactionId = String(this.#transaction)
    const finish = (result: CallResult) => {
      const entry = this.#waiting.get(transactionId)
      if (!entry) return
      this.#waiting.delete(transactionId)
      entry.cancel()
      done(result)
    }
    const cancel = clock.after(timeoutMs, () => finish({ kind: 'silence' }))
    this.#waiting.set(transactionId, { peerId, done: finish, cancel })
    const { service, method } = rpcMethods[name]
    const body = encodeCallBody({ request, timeoutMs })
    const isSent = this.#send(peerId, true, transactionId, { domain: networkName, service, method }, body)
    if (!isSent) finish({ kind: 'silence' })
  }

  /** Takes the decrypted payload of a packet of type 8 or 9. @param from the sender in the packet's header */
  receive(payload: Uint8Array, from: number): void {
    const piece = decodePiece(payload)
    if (!piece || piece.from !== from || piece.to !== this.#options.ownId) return
    const message = this.#assembly.add(piece, this.#options.clock.now())
    if (!message) return
    if (message.isRequest) this.#answer(message)
    else this.#finish(message)
  }

  /** Sends the answers for callers that can be reached only now. */
  reachChanged(): void {
    if (this.#lateAnswers.length === 0) return
    const now = this.#options.clock.now()
    this.#lateAnswers = this.#lateAnswers.filter(({ until, send }) => now < until && !send())
  }

  close(): void {
    this.#lateAnswers = []
    for (const { done } of [...this.#waiting.values()]) done({ kind: 'silence' })
  }

  #send(
    to: number,
    isRequest: boolean,
    transactionId: string,
    method: RpcMessage['method'],
    body: Uint8Array,
  ): boolean {
    const { ownId, send } = this.#options
    const pieces = encodePieces({ from: ownId, to, transactionId, isRequest, method, body })
    return pieces.every((piece) => send(to, isRequest, piece))
  }

  #finish(message: RpcMessage): void {
    const entry = this.#waiting.get(message.transactionId)
    if (entry?.peerId !== message.from) return
    entry.done(readAnswer(message) ?? DAMAGED)
  }

  #answer(message: RpcMessage): void {
    const { from, transactionId, method } = message
    let isAnswered = false
    const reply = (answer: RpcAnswer) => {
      if (isAnswered) return
      isAnswered = true
      const body = encodeAnswerBody(answer)
      const send = () => this.#send(from, false, transactionId, method, body)
      if (!send()) this.#keepForLater(send)
    }
    const problem = this.#dispatch(message, reply)
    if (problem) reply({ kind: 'error', error: problem })
  }

  #keepForLater(send: () => boolean): void {
    const now = this.#options.clock.now()
    const open = this.#lateAnswers.filter(({ until }) => now < until)
    this.#lateAnswers = [...open, { until: now + LATE_MS, send }].slice(-MAX_LATE)
  }

  /** @returns why the call is refused, or undefined when a handler has taken it */
  #dispatch(message: RpcMessage, reply: (answer: RpcAnswer) => void): RpcProblem | undefined {
    const { networkName, onFailed } = this.#options
    const { domain, service, method } = message.method
    const unknownService = { case: 'invalidService', value: { serviceName: service } } as const
    if (domain !== networkName || !isKnownService(service)) return unknownService
    const name = rpcMethodNamed(service, method)
    if (!name) return { case: 'invalidMethodIndex', value: { serviceName: service, methodIndex: method } }
    const call = readCall(message)
    if (!call) return BAD_REQUEST
    const handler = this.#handlers.get(name)
    if (!handler) return unknownService
    try {
      handler(call.request, message.from, reply)
      return undefined
    } catch (error) {
      onFailed?.(error, name, message.from)
      return rpcProblemOf(error)
    }
  }
}

const DAMAGED: RpcAnswer = {
  kind: 'error',
  error: { case: 'otherError', value: { errorMessage: 'a damaged answer' } },
}

export const BAD_REQUEST: RpcProblem = { case: 'prostDecodeError', value: {} }
