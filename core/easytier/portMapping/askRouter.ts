import { createDeferred } from '#core/async/deferred'
import { onAbort } from '#core/async/onAbort'
import { repeat } from '#core/async/repeat'
import { abortReason } from '#core/errors'
import type { RouterOptions } from './routers'

/** The port of NAT-PMP and PCP. */
const ROUTER_PORT = 5351

/** Requests are repeated, as RFC 6886 asks, until the caller's signal aborts. */
const TRY_MS = 250

export type RouterQuestion<A> = {
  /** The packet that is sent at each try, from 0. */
  readonly requests: (count: number) => readonly Uint8Array[]
  /** @returns undefined for the answer to another question. @throws Error for a refusal */
  readonly read: (answer: Uint8Array, send: (request: Uint8Array) => void) => A | undefined
}

/** Asks a router for ports by a socket of its own. @throws what `read` throws, or the signal's reason */
export async function askRouter<A>(
  { transports, clock }: RouterOptions,
  router: string,
  { requests, read }: RouterQuestion<A>,
  signal: AbortSignal,
): Promise<A> {
  const socket = await transports.openUdp(0)
  const answered = createDeferred<A>()
  const send = (request: Uint8Array) => socket.send(request, { address: router, port: ROUTER_PORT })
  socket.onDatagram((bytes, from) => {
    if (from.address !== router || from.port !== ROUTER_PORT) return
    try {
      const wanted = read(bytes, send)
      if (wanted !== undefined) answered.resolve(wanted)
    } catch (error) {
      answered.reject(error)
    }
  })
  const unsubscribe = onAbort(signal, () => answered.reject(abortReason(signal)))
  let count = 0
  const stop = repeat(clock, TRY_MS, signal, () => {
    for (const request of requests(count)) send(request)
    count += 1
  })
  try {
    return await answered.promise
  } finally {
    stop()
    unsubscribe()
    socket.close()
    await socket.closed
  }
}

/**
 * Asks for one thing, in the words of one protocol.
 * @param decode what `read` gets. @param read undefined for the answer to another question. @throws Error, or the signal's reason
 */
export function ask<Answer, A>(
  options: RouterOptions,
  router: string,
  request: Uint8Array,
  decode: (bytes: Uint8Array) => Answer | undefined,
  read: (answer: Answer) => A | undefined,
  signal: AbortSignal,
): Promise<A> {
  const question = {
    requests: () => [request],
    read(bytes: Uint8Array) {
      const answer = decode(bytes)
      return answer && read(answer)
    },
  }
  return askRouter(options, router, question, signal)
}

export function refusal(code: number): Error {
  return new Error(`the router refuses: ${code}`)
}
