import type { PortMapping } from '../transport/transports'
import { decodePcp, encodeAnnounceRequest, encodePcpMapRequest, type PcpMap } from './pcp'
import { ask, type FindRouterOptions, LEASE_MS, type Router, type RouterOptions, refusal } from './routers'

/** @param client this machine's address towards the router */
export function pcpRouter(options: FindRouterOptions, address: string, client: string): Router {
  const { nonce } = options
  return {
    method: 'pcp',
    async epochS(signal) {
      // A refusal tells the epoch as well.
      return (await ask(options, address, () => [encodeAnnounceRequest(client)], decodePcp, signal)).epochS
    },
    async map(transport, localPort, externalPort, signal) {
      const wanted = { client, nonce, transport, localPort, externalPort, lifetimeS: LEASE_MS / 1000 }
      const { external } = await change(options, address, wanted, signal)
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
  await change(options, router, removed, signal)
}

function change(options: RouterOptions, router: string, wanted: PcpMap, signal: AbortSignal) {
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
