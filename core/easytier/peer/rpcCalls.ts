import type { Clock } from '#core/async/clock'
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

/** The RPC calls of a peer: its own, and those of other peers that it answers. */
export type RpcCalls = {
  /** Registers what answers a method. Calls of a method without a handler are refused, and callers do not repeat them. */
  handle(method: RpcMethodName, handler: RpcHandler): void
  /** @param done called once: with the answer's bytes, or the error */
  call(peerId: number, method: RpcMethodName, request: Uint8Array, timeoutMs: number, done: CallDone): void
  /** Takes the decrypted payload of a packet of type 8 or 9. @param from the sender in the packet's header */
  receive(payload: Uint8Array, from: number): void
  /** Sends the answers for callers that can be reached only now. */
  reachChanged(): void
  /** Ends all pending calls. */
  close(): void
}

export type CallDone = (result: CallResult) => void
export type CallResult =
  | { readonly kind: 'answer'; readonly response: Uint8Array }
  | { readonly kind: 'error'; readonly error: RpcProblem }
  | { readonly kind: 'silence' }

/** Answers a call of another peer, now or later; the first reply counts. What it throws is answered as an error. */
export type RpcHandler = (request: Uint8Array, from: number, reply: (answer: RpcAnswer) => void) => void

export type RpcCallsOptions = {
  readonly ownId: number
  readonly networkName: string
  readonly clock: Clock
  readonly random32: () => number
  /** Sends the payload of one packet. @returns false when the peer is not reachable */
  readonly send: (peerId: number, isRequest: boolean, payload: Uint8Array) => boolean
  readonly onFailed?: OnCallFailed
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

export function createRpcCalls(options: RpcCallsOptions): RpcCalls {
  const { ownId, networkName, clock, send } = options
  const handlers = new Map<RpcMethodName, RpcHandler>()
  const assembly = createRpcAssembly()
  const waiting = new Map<string, Waiting>()
  let lateAnswers: readonly LateAnswer[] = []
  let transaction = options.random32()

  return {
    handle: (method, handler) => void handlers.set(method, handler),
    call(peerId, name, request, timeoutMs, done) {
      if (waiting.size >= MAX_WAITING) return done({ kind: 'silence' })
      transaction += 1
      const transactionId = String(transaction)
      const finish = (result: CallResult) => {
        const entry = waiting.get(transactionId)
        if (!entry) return
        waiting.delete(transactionId)
        entry.cancel()
        done(result)
      }
      const cancel = clock.after(timeoutMs, () => finish({ kind: 'silence' }))
      waiting.set(transactionId, { peerId, done: finish, cancel })
      const { service, method } = rpcMethods[name]
      const body = encodeCallBody({ request, timeoutMs })
      const isSent = sendMessage(peerId, true, transactionId, { domain: networkName, service, method }, body)
      if (!isSent) finish({ kind: 'silence' })
    },

    receive(payload, from) {
      const piece = decodePiece(payload)
      if (!piece || piece.from !== from || piece.to !== ownId) return
      const message = assembly.add(piece, clock.now())
      if (!message) return
      if (message.isRequest) answerTo(message)
      else finishWith(message)
    },

    reachChanged() {
      if (lateAnswers.length === 0) return
      const now = clock.now()
      lateAnswers = lateAnswers.filter(({ until, send: sendLate }) => now < until && !sendLate())
    },

    close() {
      lateAnswers = []
      for (const { done } of [...waiting.values()]) done({ kind: 'silence' })
    },
  }

  function sendMessage(
    to: number,
    isRequest: boolean,
    transactionId: string,
    method: RpcMessage['method'],
    body: Uint8Array,
  ): boolean {
    const pieces = encodePieces({ from: ownId, to, transactionId, isRequest, method, body })
    return pieces.every((piece) => send(to, isRequest, piece))
  }

  function finishWith(message: RpcMessage) {
    const entry = waiting.get(message.transactionId)
    if (entry?.peerId !== message.from) return
    const answer = readAnswer(message)
    if (!answer) return entry.done({ kind: 'error', error: { kind: 'other', text: 'a damaged answer' } })
    entry.done(
      answer.kind === 'response'
        ? { kind: 'answer', response: answer.response }
        : { kind: 'error', error: answer.error },
    )
  }

  function answerTo(message: RpcMessage) {
    const { from, transactionId, method } = message
    let isAnswered = false
    const reply = (answer: RpcAnswer) => {
      if (isAnswered) return
      isAnswered = true
      const body = encodeAnswerBody(answer)
      const sendAnswer = () => sendMessage(from, false, transactionId, method, body)
      if (!sendAnswer()) keepForLater(sendAnswer)
    }
    const problem = dispatch(message, reply)
    if (problem) reply({ kind: 'error', error: problem })
  }

  function keepForLater(sendAnswer: () => boolean): void {
    const now = clock.now()
    const open = lateAnswers.filter(({ until }) => now < until)
    lateAnswers = [...open, { until: now + LATE_MS, send: sendAnswer }].slice(-MAX_LATE)
  }

  /** @returns why the call is refused, or undefined when a handler has taken it */
  function dispatch(message: RpcMessage, reply: (answer: RpcAnswer) => void): RpcProblem | undefined {
    const { domain, service, method } = message.method
    if (domain !== networkName || !isKnownService(service)) return { kind: 'unknown-service', service }
    const name = rpcMethodNamed(service, method)
    if (!name) return { kind: 'unknown-method', service, method }
    const call = readCall(message)
    if (!call) return { kind: 'bad-request' }
    const handler = handlers.get(name)
    if (!handler) return { kind: 'unknown-service', service }
    try {
      handler(call.request, message.from, reply)
      return undefined
    } catch (error) {
      options.onFailed?.(error, name, message.from)
      return rpcProblemOf(error)
    }
  }
}
