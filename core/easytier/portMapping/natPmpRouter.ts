import type { PortMapping } from '../transport/transports'
import { ask, askRouter, refusal } from './askRouter'
import {
  decodeNatPmp,
  encodeAddressRequest,
  encodeMapRequest,
  type NatPmpAnswer,
  UNSUPPORTED_VERSION,
} from './natPmp'
import { decodePcp, encodeAnnounceRequest } from './pcp'
import { pcpRouter } from './pcpRouter'
import { type FindRouterOptions, LEASE_MS, type Router, type RouterOptions } from './routers'

/** The first router that speaks PCP or NAT-PMP. @throws Error when there is none, or the signal's reason */
export async function findNatPmpRouter(options: FindRouterOptions, signal: AbortSignal): Promise<Router> {
  const addresses = await options.routers.addresses()
  return await Promise.any(
    addresses.map(async (address) => {
      const client = options.routers.localAddress(address)
      const protocol = await protocolOf(options, address, client, signal)
      return protocol === 'pcp' && client !== undefined
        ? pcpRouter(options, address, client)
        : natPmpRouter(options, address)
    }),
  )
}

/**
 * Both protocols share a port, and the first byte is the version. PCP is asked first; a router that knows NAT-PMP alone says
 * so, and an old one says nothing.
 * @see RFC 6887, section 9 and appendix A
 */
function protocolOf(
  options: RouterOptions,
  router: string,
  client: string | undefined,
  signal: AbortSignal,
): Promise<'pcp' | 'nat-pmp'> {
  const byNatPmp = encodeAddressRequest()
  const byPcp = client === undefined ? [] : [encodeAnnounceRequest(client)]
  const question = {
    requests: (count: number) => (count === 0 && byPcp.length > 0 ? byPcp : [...byPcp, byNatPmp]),
    read(bytes: Uint8Array, send: (request: Uint8Array) => void) {
      if (byPcp.length > 0 && decodePcp(bytes)) return 'pcp' as const
      const answer = decodeNatPmp(bytes)
      if (answer?.kind === 'address') return 'nat-pmp' as const
      if (answer?.kind !== 'refusal') return undefined
      if (answer.code !== UNSUPPORTED_VERSION) throw refusal(answer.code)
      send(byNatPmp)
      return undefined
    },
  }
  return askRouter<'pcp' | 'nat-pmp'>(options, router, question, signal)
}

function natPmpRouter(options: RouterOptions, address: string): Router {
  return {
    method: 'nat-pmp',
    async epochS(signal) {
      return (await publicAddress(options, address, signal)).epochS
    },
    async map(transport, localPort, externalPort, signal) {
      const request = encodeMapRequest(transport, localPort, externalPort, LEASE_MS / 1000)
      const [answer, external] = await Promise.all([
        ask(options, address, request, accepted, (one) => isMapping(one, transport, localPort), signal),
        publicAddress(options, address, signal),
      ])
      return {
        method: 'nat-pmp',
        router: address,
        service: '',
        transport,
        localPort,
        external: { address: external.address, port: answer.externalPort },
      }
    },
  }
}

/** @throws Error, or the signal's reason */
export async function removeByNatPmp(
  options: RouterOptions,
  { router, transport, localPort }: PortMapping,
  signal: AbortSignal,
): Promise<void> {
  const request = encodeMapRequest(transport, localPort, 0, 0)
  await ask(options, router, request, accepted, (one) => isMapping(one, transport, localPort), signal)
}

function publicAddress(options: RouterOptions, router: string, signal: AbortSignal) {
  const isAddress = (one: NatPmpAnswer) => (one.kind === 'address' ? one : undefined)
  return ask(options, router, encodeAddressRequest(), accepted, isAddress, signal)
}

function isMapping(answer: NatPmpAnswer, transport: 'tcp' | 'udp', localPort: number) {
  const isAnswer =
    answer.kind === 'mapping' && answer.transport === transport && answer.localPort === localPort
  return isAnswer ? answer : undefined
}

/** @throws Error for a refusal */
function accepted(bytes: Uint8Array): Exclude<NatPmpAnswer, { readonly kind: 'refusal' }> | undefined {
  const answer = decodeNatPmp(bytes)
  if (answer?.kind === 'refusal') throw refusal(answer.code)
  return answer
}
