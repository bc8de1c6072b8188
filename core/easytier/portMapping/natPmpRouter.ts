import type { NatPmpMapping } from '../transport/transports'
import { decodeNatPmp, encodeAddressRequest, encodeMapRequest, type MapRequest } from './natPmp'
import { ask, LEASE_MS, type Router, type RouterOptions, refusal } from './routers'

/** The first router that speaks NAT-PMP. @throws Error when there is none, or the signal's reason */
export async function findNatPmpRouter(
  options: RouterOptions,
  signal: AbortSignal,
): Promise<Router<NatPmpMapping>> {
  const addresses = await options.routers.addresses()
  return await Promise.any(
    addresses.map(async (router) => {
      await publicAddress(options, router, signal)
      return routerAt(options, router)
    }),
  )
}

function routerAt(options: RouterOptions, router: string): Router<NatPmpMapping> {
  return {
    method: 'nat-pmp',
    async map(transport, localPort, externalPort, signal) {
      const [port, address] = await Promise.all([
        change(options, router, { transport, localPort, externalPort, lifetimeS: LEASE_MS / 1000 }, signal),
        publicAddress(options, router, signal),
      ])
      return { method: 'nat-pmp', router, transport, localPort, external: { address, port } }
    },
  }
}

/** @throws Error, or the signal's reason */
export async function removeByNatPmp(
  options: RouterOptions,
  { router, transport, localPort }: NatPmpMapping,
  signal: AbortSignal,
): Promise<void> {
  await change(options, router, { transport, localPort, externalPort: 0, lifetimeS: 0 }, signal)
}

/** The public address is a question of its own, without an effect. */
async function publicAddress(options: RouterOptions, router: string, signal: AbortSignal): Promise<string> {
  const read = (bytes: Uint8Array) => {
    const answer = decodeNatPmp(bytes)
    if (answer?.kind === 'refusal') throw refusal(answer.code)
    return answer?.kind === 'address' ? answer.address : undefined
  }
  return ask(options, router, encodeAddressRequest(), read, signal)
}

/** Opens, renews or removes a mapping. @returns its external port */
function change(
  options: RouterOptions,
  router: string,
  mapping: MapRequest,
  signal: AbortSignal,
): Promise<number> {
  const read = (bytes: Uint8Array) => {
    const answer = decodeNatPmp(bytes)
    if (answer?.kind === 'refusal') throw refusal(answer.code)
    const isAnswer =
      answer?.kind === 'mapping' &&
      answer.transport === mapping.transport &&
      answer.localPort === mapping.localPort
    return isAnswer ? answer.externalPort : undefined
  }
  return ask(options, router, encodeMapRequest(mapping), read, signal)
}
