import type { Deferred } from '@lantern-room/base/async'
import { decodeNatPmp, encodeAddressRequest, encodeMapRequest, type MapRequest } from './natPmp'
import type { Endpoint, NatPmpMapping } from './ports'
import { askByDatagrams, LEASE_MS, type Router, type RouterOptions } from './routers'

/** The port of NAT-PMP. */
const ROUTER_PORT = 5351

/** Requests are repeated, as RFC 6886 asks, until the caller's signal aborts. */
const TRY_MS = 250

type NatPmpAnswer = NonNullable<ReturnType<typeof decodeNatPmp>>

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
function publicAddress(options: RouterOptions, router: string, signal: AbortSignal): Promise<string> {
  const read = (answer: NatPmpAnswer) => (answer.kind === 'address' ? answer.address : undefined)
  return ask(options, router, encodeAddressRequest(), read, signal)
}

/** Opens, renews or removes a mapping. @returns its external port */
function change(
  options: RouterOptions,
  router: string,
  mapping: MapRequest,
  signal: AbortSignal,
): Promise<number> {
  const read = (answer: NatPmpAnswer) => {
    const isAnswer =
      answer.kind === 'mapping' &&
      answer.transport === mapping.transport &&
      answer.localPort === mapping.localPort
    return isAnswer ? answer.externalPort : undefined
  }
  return ask(options, router, encodeMapRequest(mapping), read, signal)
}

/**
 * Asks a router until it answers.
 * @param read undefined for the answer to another question
 * @throws Error when the router refuses, or the signal's reason
 */
function ask<A>(
  options: RouterOptions,
  router: string,
  request: Uint8Array,
  read: (answer: NatPmpAnswer) => A | undefined,
  signal: AbortSignal,
): Promise<A> {
  const to = { address: router, port: ROUTER_PORT }
  const take = ({ resolve, reject }: Deferred<A>, bytes: Uint8Array, from: Endpoint) => {
    const answer = from.address === router && from.port === ROUTER_PORT ? decodeNatPmp(bytes) : undefined
    if (!answer) return
    if (answer.kind === 'refusal') reject(new Error(`the router refuses: ${answer.code}`))
    const wanted = read(answer)
    if (wanted !== undefined) resolve(wanted)
  }
  return askByDatagrams(options, { to, everyMs: TRY_MS, requests: [request], take }, signal)
}
