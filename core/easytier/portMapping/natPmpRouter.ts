import type { PortMapping } from '../transport/transports'
import { decodeNatPmp, encodeAddressRequest, encodeMapRequest, UNSUPPORTED_VERSION } from './natPmp'
import { decodePcp, encodeAnnounceRequest, encodePcpMapRequest, type PcpMap } from './pcp'
import { ask, type FindRouterOptions, LEASE_MS, type Router, type RouterOptions, refusal } from './routers'

type Method = 'pcp' | 'nat-pmp'

/** The first router that speaks PCP or NAT-PMP. @throws Error when there is none, or the signal's reason */
export async function findNatPmpRouter(options: FindRouterOptions, signal: AbortSignal): Promise<Router> {
  const addresses = await options.routers.addresses()
  return await Promise.any(
    addresses.map(async (address) => routerBy(await methodOf(options, address, signal), options, address)),
  )
}

/**
 * Both protocols share a port, and the first byte is the version. PCP is asked first; a router that knows NAT-PMP alone says
 * so, and an old one says nothing.
 * @see RFC 6887, section 9 and appendix A
 */
function methodOf(options: RouterOptions, router: string, signal: AbortSignal): Promise<Method> {
  const client = options.routers.localAddress(router)
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

function routerBy(method: Method, options: FindRouterOptions, router: string): Router {
  const service = method === 'pcp' ? options.nonce : ''
  return {
    method,
    async map(transport, localPort, externalPort, signal) {
      const wanted = { nonce: service, transport, localPort, externalPort, lifetimeS: LEASE_MS / 1000 }
      const [answer, address] = await Promise.all([
        change(options, method, router, wanted, signal),
        method === 'nat-pmp' ? publicAddress(options, router, signal) : undefined,
      ])
      const external = { address: answer.address ?? address ?? '', port: answer.externalPort }
      return { method, router, service, transport, localPort, external }
    },
  }
}

/** @throws Error, or the signal's reason */
export async function removeByNatPmp(
  options: RouterOptions,
  { method, router, service, transport, localPort }: PortMapping,
  signal: AbortSignal,
): Promise<void> {
  const removed = { nonce: service, transport, localPort, externalPort: 0, lifetimeS: 0 }
  await change(options, method === 'pcp' ? 'pcp' : 'nat-pmp', router, removed, signal)
}

/** By NAT-PMP the public address is a question of its own. */
async function publicAddress(options: RouterOptions, router: string, signal: AbortSignal): Promise<string> {
  const read = (bytes: Uint8Array) => {
    const answer = decodeNatPmp(bytes)
    if (answer?.kind === 'refusal') throw refusal(answer.code)
    return answer?.kind === 'address' ? answer.address : undefined
  }
  return ask(options, router, () => [encodeAddressRequest()], read, signal)
}

const CODECS = {
  pcp: { encode: encodePcpMapRequest, decode: decodePcp },
  'nat-pmp': { encode: encodeMapRequest, decode: decodeNatPmp },
} as const

/** Opens, renews or removes a mapping. */
function change(
  options: RouterOptions,
  method: Method,
  router: string,
  mapping: Omit<PcpMap, 'client'>,
  signal: AbortSignal,
) {
  const { encode, decode } = CODECS[method]
  const request = encode({ ...mapping, client: options.routers.localAddress(router) ?? '' })
  const read = (bytes: Uint8Array) => {
    const answer = decode(bytes)
    if (answer?.kind === 'refusal') throw refusal(answer.code)
    const isAnswer =
      answer?.kind === 'mapping' &&
      answer.nonce === mapping.nonce &&
      answer.transport === mapping.transport &&
      answer.localPort === mapping.localPort
    return isAnswer ? answer : undefined
  }
  return ask(options, router, () => [request], read, signal)
}
