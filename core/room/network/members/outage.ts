import type { Clock } from '@lantern-room/base/async'
import { withDeadline } from '@lantern-room/base/async'
import type { Network } from '@lantern-room/easytier'
import type { Transports } from '@lantern-room/easytier/transport'
import type { Refusal } from '@lantern-room/easytier/wire'
import { type HintCode, RoomFailure } from '../../failure'

/** Why no shared node can be reached, where that is known: the code of its failure. */
export type Outage = 'no-internet' | 'wifi-login'

/** Asked beside the nodes, whose names may be wrong (RFC 2606). */
const KNOWN_NAME = 'example.com'
const LIMIT_MS = 2000

const TEXTS: Readonly<Record<Outage, string>> = {
  'no-internet': 'This computer is not connected to the internet.',
  'wifi-login': 'This wifi lets nobody out who has not logged in.',
}

/**
 * Looks for the cause when no shared node can be reached: no name resolves, or a page for a login answers in place of the
 * internet. Nodes that are only known by their addresses may be on the LAN, and say nothing.
 * @returns undefined when it is neither; never rejects, and takes two seconds at most
 * @example await findOutage({ transports, clock }, ['tcp://node.example.com:11010']) // 'wifi-login'
 */
export async function findOutage(
  { transports, clock }: { readonly transports: Transports; readonly clock: Pick<Clock, 'after'> },
  nodes: readonly string[],
): Promise<Outage | undefined> {
  const names = new Set(nodes.flatMap((node) => nameIn(node) ?? []))
  if (names.size === 0) return undefined
  const { resolve, isBehindPortal } = transports
  const late = () => new Error('no answer in time')
  const ask = (work: (signal: AbortSignal) => Promise<boolean>) =>
    withDeadline(clock, LIMIT_MS, undefined, late, work).catch(() => false)
  const resolves = (name: string) => ask(async (signal) => (await resolve(name, signal)).length > 0)
  const [hasPortal, ...found] = await Promise.all([
    ask(async (signal) => (await isBehindPortal?.(signal)) ?? false),
    ...[...names, KNOWN_NAME].map(resolves),
  ])
  if (hasPortal) return 'wifi-login'
  return found.includes(true) ? undefined : 'no-internet'
}

/** undefined for an address. */
function nameIn(node: string): string | undefined {
  return /^\w+:\/\/(?!\[|[\d.]+[:/]|localhost\b)([^:/]+)/.exec(node)?.[1]
}

/**
 * What a player is told of it.
 * @example throw outageFailure('no-internet')
 */
export function outageFailure(outage: Outage): RoomFailure {
  return new RoomFailure(outage, TEXTS[outage])
}

const REFUSAL_TEXTS: Readonly<Record<Refusal, string>> = {
  'address-limit': 'The shared node takes no more connections from this network address.',
  'node-full': 'The shared node is full.',
}
const REFUSAL_HINTS: Readonly<Record<Refusal, HintCode>> = {
  'address-limit': 'node-address-limit',
  'node-full': 'node-full',
}

const BESIDE_TEXTS: Readonly<Record<Refusal, string>> = {
  'address-limit':
    'Nobody hosts this room at the shared nodes that can be reached; another one takes no more connections from this network address.',
  'node-full': 'Nobody hosts this room at the shared nodes that can be reached; another one is full.',
}
const BESIDE_HINTS: Readonly<Record<Refusal, HintCode>> = {
  'address-limit': 'other-node-address-limit',
  'node-full': 'other-node-full',
}

/** The room may be at the node that has refused this member: that nobody hosts it is only known of the others. */
export function notFoundBeside(refusal: Refusal): RoomFailure {
  return new RoomFailure('host-not-found', BESIDE_TEXTS[refusal], { hintCode: BESIDE_HINTS[refusal] })
}

/** Why one of the network's nodes takes no connection, where one has said so. */
export function refusalOf(network: Pick<Network, 'nodes'>): Refusal | undefined {
  return network.nodes().find((node) => node.refusal !== undefined)?.refusal
}

/** Why none of the network's nodes can be reached: what one of them has said, or else what can be found out. */
export async function noRelayReachable(
  options: Parameters<typeof findOutage>[0],
  network: Pick<Network, 'nodes'>,
): Promise<RoomFailure> {
  const nodes = network.nodes()
  const refusal = refusalOf(network)
  if (refusal)
    return new RoomFailure('no-relay-reachable', REFUSAL_TEXTS[refusal], { hintCode: REFUSAL_HINTS[refusal] })
  const outage = await findOutage(
    options,
    nodes.map(({ url }) => url),
  )
  if (outage) return outageFailure(outage)
  const problems = nodes.map(({ url, problem }) => `${url}: ${problem ?? 'no answer'}`)
  return new RoomFailure('no-relay-reachable', 'No shared node can be reached.', {
    cause: new Error(problems.join('; ')),
  })
}
