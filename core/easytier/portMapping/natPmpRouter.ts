import type { PortMapping } from '../transport/transports'
import {
  decodeNatPmp,
  encodeAddressRequest,
  encodeMapRequest,
  type NatPmpAnswer,
  type NatPmpMap,
  UNSUPPORTED_VERSION,
} from './natPmp'
import { decodePcp, encodeAnnounceRequest, encodePcpMapRequest, type PcpMap } from './pcp'
import { ask, type FindRouterOptions, LEASE_MS, type Router, type RouterOptions, refusal } from './routers'

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
  const requests = (count: number) => (count === 0 && byPcp.length > 0 ? byPcp : [...byPcp, byNatPmp])
  const read = (bytes: Uint8Array, send: (request: Uint8Array) => void) => {
    if (byPcp.length > 0 && decodePcp(bytes)) return 'pcp'
    const answer = decodeNatPmp(bytes)
    if (answer?.kind === 'address') return 'nat-pmp'
    if (answer?.kind !== 'refusal') return undefined
    if (answer.code !== UNSUPPORTED_VERSION) throw refusal(answer.code)
    send(byNatPmp)
    return undefined
  }
  return ask(options, router, requests, read, signal)
}

function natPmpRouter(options: RouterOptions, address: string): Router {
  return {
    method: 'nat-pmp',
    async map(transport, localPort, externalPort, signal) {
      const mapping = { transport, localPort, externalPort, lifetimeS: LEASE_MS / 1000 }
      const [answer, external] = await Promise.all([
        changeNatPmp(options, address, mapping, signal),
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
  await changeNatPmp(options, router, { transport, localPort, externalPort: 0, lifetimeS: 0 }, signal)
}

function publicAddress(options: RouterOptions, router: string, signal: AbortSignal) {
  const read = (bytes: Uint8Array) => {
    const answer = accepted(bytes)
    return answer?.kind === 'address' ? answer : undefined
  }
  return ask(options, router, () => [encodeAddressRequest()], read, signal)
}

function changeNatPmp(options: RouterOptions, router: string, wanted: NatPmpMap, signal: AbortSignal) {
  const { transport, localPort } = wanted
  const read = (bytes: Uint8Array) => {
    const answer = accepted(bytes)
    const isMapping = answer?.kind === 'mapping' && answer.transport === transport
    return isMapping && answer.localPort === localPort ? answer : undefined
  }
  return ask(options, router, () => [encodeMapRequest(wanted)], read, signal)
}

/** @throws Error for a refusal */
function accepted(bytes: Uint8Array): Exclude<NatPmpAnswer, { readonly kind: 'refusal' }> | undefined {
  const answer = decodeNatPmp(bytes)
  if (answer?.kind === 'refusal') throw refusal(answer.code)
  return answer
}

/** @param client this machine's address towards the router */
export function pcpRouter(options: FindRouterOptions, address: string, client: string): Router {
  const { nonce } = options
  return {
    method: 'pcp',
    async map(transport, localPort, externalPort, signal) {
      const wanted = { client, nonce, transport, localPort, externalPort, lifetimeS: LEASE_MS / 1000 }
      const { external } = await changePcp(options, address, wanted, signal)
      return { method: 'pcp', router: address, service: nonce, transport, localPort, external }
    },
  }
}

/** @throws Error, or the signal's reason */
export async function removeByPcp(
  options: RouterOptions,
  { router, service: nonce, transport, localPort }: PortMapping,
  signal: AbortSignal,
): Promise<void> {
  const client = options.routers.localAddress(router)
  if (client === undefined) throw new Error('the router is on no network of this machine')
  const removed = { client, nonce, transport, localPort, externalPort: 0, lifetimeS: 0 }
  await changePcp(options, router, removed, signal)
}

function changePcp(options: RouterOptions, router: string, wanted: PcpMap, signal: AbortSignal) {
  const read = (bytes: Uint8Array) => {
    const answer = decodePcp(bytes)
    if (answer?.kind === 'refusal') throw refusal(answer.code)
    const isAnswer =
      answer?.kind === 'mapping' &&
      answer.nonce === wanted.nonce &&
      answer.transport === wanted.transport &&
      answer.localPort === wanted.localPort
    return isAnswer ? answer : undefined
  }
  return ask(options, router, () => [encodePcpMapRequest(wanted)], read, signal)
}
