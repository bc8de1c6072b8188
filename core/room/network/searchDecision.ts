/** The state of a guest's search for the host in a room's networks. Times are milliseconds. */
export type Search<Host> = {
  /** The hosts that are visible now. */
  readonly hosts: readonly Host[]
  /** Those of them that have answered a probe, which is sent where there are several. */
  readonly aliveHosts: readonly Host[]
  readonly elapsedMs: number
  /** Since more than one host was seen for the first time. */
  readonly severalHostsMs: number | undefined
  /** Since a shared node or a member was reached. */
  readonly connectedMs: number | undefined
  readonly hasNodes: boolean
  /** Whether a member or a shared node has refused the room's secret. */
  readonly wasRefused: boolean
  /** Whether every shared node has refused it. */
  readonly isRefusedEverywhere: boolean
}

export type SearchDecision<Host> =
  | { readonly kind: 'found'; readonly host: Host }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'failed'; readonly code: SearchFailure }

export type SearchFailure = 'several-hosts' | 'wrong-room' | 'no-relay-reachable' | 'host-not-found'

/** How long a guest waits for a shared node, or a host on the LAN. */
const NODE_MS = 8000
/** Members on other nodes of a cluster appear up to 10 s late. */
const HOST_MS = 15_000
/** Where every shared node refuses the secret only a host on the LAN can still appear. */
const REFUSED_MS = 4000
/** How long each of several hosts may take to answer a probe: one that was killed stays visible for a while. */
export const SEVERAL_HOSTS_MS = 1500
/** The longest wait between two decisions. */
const LOOK_MS = 500

/** Whether a guest has found its host, waits or gives up. */
export function decide<Host>(search: Search<Host>): SearchDecision<Host> {
  const { hosts, severalHostsMs = 0 } = search
  const [first] = hosts
  if (first !== undefined && hosts.length === 1) return { kind: 'found', host: first }
  if (hosts.length > 1 && severalHostsMs >= SEVERAL_HOSTS_MS) return oneOfSeveral(search)
  const left = timeLeft(search)
  return left > 0
    ? { kind: 'wait', ms: Math.min(left + 1, LOOK_MS) }
    : { kind: 'failed', code: failureOf(search) }
}

function oneOfSeveral<Host>({ aliveHosts }: Search<Host>): SearchDecision<Host> {
  const [host, second] = aliveHosts
  return host !== undefined && second === undefined
    ? { kind: 'found', host }
    : { kind: 'failed', code: 'several-hosts' }
}

function timeLeft({ elapsedMs, connectedMs, isRefusedEverywhere }: Search<unknown>): number {
  if (connectedMs === undefined) return NODE_MS - elapsedMs
  return (isRefusedEverywhere ? REFUSED_MS : HOST_MS) - connectedMs
}

function failureOf({ wasRefused, connectedMs, hasNodes }: Search<unknown>): SearchFailure {
  if (wasRefused) return 'wrong-room'
  return connectedMs === undefined && hasNodes ? 'no-relay-reachable' : 'host-not-found'
}

/** What a player reads of it. */
export const SEARCH_FAILURE_TEXTS: Readonly<Record<SearchFailure, string>> = {
  'several-hosts': 'Two players host with this room code.',
  'wrong-room': 'The room exists, but its second half is another one.',
  'no-relay-reachable': 'No shared node can be reached.',
  'host-not-found': 'Nobody hosts this room.',
}
