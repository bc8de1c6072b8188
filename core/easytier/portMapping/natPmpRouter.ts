import { createDeferred } from '#core/async/deferred'
import { onAbort } from '#core/async/onAbort'
import { repeat } from '#core/async/repeat'
import { abortReason } from '#core/errors'
import type { PortMapping } from '../transport/transports'
import {
  decodeNatPmp,
  encodeAddressRequest,
  encodeMapRequest,
  NAT_PMP_PORT,
  type NatPmpAnswer,
} from './natPmp'
import { LEASE_MS, type Router, type RouterOptions } from './routers'

/** Requests are repeated, as RFC 6886 asks, until the caller's signal aborts. */
const TRY_MS = 250

/** The first router that tells its public address. @throws Error when there is none, or the signal's reason */
export async function findNatPmpRouter(options: RouterOptions, signal: AbortSignal): Promise<Router> {
  const addresses = await options.routers.addresses()
  return await Promise.any(
    addresses.map(async (address): Promise<Router> => {
      await publicAddress(options, address, signal)
      return {
        method: 'nat-pmp',
        async map(transport, localPort, externalPort, mapSignal) {
          const request = encodeMapRequest(transport, localPort, externalPort, LEASE_MS / 1000)
          const [answer, external] = await Promise.all([
            ask(options, address, request, mapSignal, (one) => isMapping(one, transport, localPort)),
            publicAddress(options, address, mapSignal),
          ])
          return {
            method: 'nat-pmp',
            router: address,
            service: '',
            transport,
            localPort,
            external: { address: external, port: answer.externalPort },
          }
        },
      }
    }),
  )
}

/** @throws Error, or the signal's reason */
export async function removeByNatPmp(
  options: RouterOptions,
  { router, transport, localPort }: PortMapping,
  signal: AbortSignal,
): Promise<void> {
  const request = encodeMapRequest(transport, localPort, 0, 0)
  await ask(options, router, request, signal, (one) => isMapping(one, transport, localPort))
}

async function publicAddress(options: RouterOptions, router: string, signal: AbortSignal): Promise<string> {
  const isAddress = (one: NatPmpAnswer) => (one.kind === 'address' ? one : undefined)
  return (await ask(options, router, encodeAddressRequest(), signal, isAddress)).address
}

function isMapping(answer: NatPmpAnswer, transport: 'tcp' | 'udp', localPort: number) {
  const isAnswer =
    answer.kind === 'mapping' && answer.transport === transport && answer.localPort === localPort
  return isAnswer ? answer : undefined
}

/** Asks by a socket of its own. @param read undefined for the answer to another question */
async function ask<A extends NatPmpAnswer>(
  { transports, clock }: RouterOptions,
  router: string,
  request: Uint8Array,
  signal: AbortSignal,
  read: (answer: NatPmpAnswer) => A | undefined,
): Promise<A> {
  const socket = await transports.openUdp(0)
  const answered = createDeferred<A>()
  socket.onDatagram((bytes, from) => {
    if (from.address !== router || from.port !== NAT_PMP_PORT) return
    const answer = decodeNatPmp(bytes)
    if (answer?.kind === 'refusal') return answered.reject(new Error(`the router refuses: ${answer.code}`))
    const wanted = answer && read(answer)
    if (wanted) answered.resolve(wanted)
  })
  const unsubscribe = onAbort(signal, () => answered.reject(abortReason(signal)))
  const stop = repeat(clock, TRY_MS, signal, () =>
    socket.send(request, { address: router, port: NAT_PMP_PORT }),
  )
  try {
    return await answered.promise
  } finally {
    stop()
    unsubscribe()
    socket.close()
    await socket.closed
  }
}
