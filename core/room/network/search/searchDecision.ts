import { HOST_CHANGED } from '../../failure'

/** The state of a guest's search for the host in a room's networks. Times are milliseconds. */
export type Search<Host> = {
  /** The members that call themselves the host and are visible now. */
  readonly hosts: readonly Host[]
  /** Those of them that have answered as the host, the first one first. They are asked where there are several, or a key is known. */
  readonly proved: readonly Host[]
  /** The candidates that have not answered as the host. */
  readonly others: readonly Host[]
  /** Whether the host's key is known, so that only a host that proves it is taken. */
  readonly needsProof: boolean
  readonly elapsedMs: number
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

export type SearchFailure =
  | 'several-hosts'
  | 'host-changed'
  | 'wrong-room'
  | 'no-relay-reachable'
  | 'host-not-found'

/** How long a guest waits for a shared node, or a host on the LAN. */
const NODE_MS = 8000
/** Members on other nodes of a cluster appear up to 10 s late. */
const HOST_MS = 15_000
/** Where every shared node refuses the secret only a host on the LAN can still appear. */
const REFUSED_MS = 4000
/** The longest wait between two decisions. */
const LOOK_MS = 500

/** Whether a guest has found its host, waits or gives up. */
export function decide<Host>(search: Search<Host>): SearchDecision<Host> {
  const { hosts, proved, needsProof } = search
  const [first, second] = hosts
  const isOnly = first !== undefined && second === undefined
  const host = proved[0] ?? (isOnly && !needsProof ? first : undefined)
  if (host !== undefined) return { kind: 'found', host }
  const left = timeLeft(search)
  return left > 0 ? { kind: 'wait', ms: Math.min(left + 1, LOOK_MS) } : lastDecision(search)
}

/** A host that has not answered yet may take direct connections only: where it can be no other one, it is waited for later. */
function lastDecision<Host>(search: Search<Host>): SearchDecision<Host> {
  const silent = search.hosts.filter((host) => !search.others.includes(host))
  const [host, second] = silent
  if (host !== undefined && second === undefined) return { kind: 'found', host }
  if (search.needsProof && search.others.length > 0) return { kind: 'failed', code: 'host-changed' }
  return { kind: 'failed', code: search.hosts.length > 1 ? 'several-hosts' : failureOf(search) }
}

function timeLeft({ elapsedMs, connectedMs, isRefusedEverywhere }: Search<unknown>): number {
  if (connectedMs === undefined) return NODE_MS - elapsedMs
  return (isRefusedEverywhere ? REFUSED_MS : HOST_MS) - connectedMs
}

function failureOf({ wasRefused, connectedMs, hasNodes }: Search<unknown>): SearchFailure {
  if (wasRefused) return 'wrong-room'
  return connectedMs === undefined && hasNodes ? 'no-relay-reachable' : 'host-not-found'
}

/** The text that the player reads. */
export const SEARCH_FAILURE_TEXTS: Readonly<Record<SearchFailure, string>> = {
  'several-hosts': 'Two players host with this room code, and neither answers.',
  'host-changed': HOST_CHANGED,
  'wrong-room': 'The room exists, but its second half is another one.',
  'no-relay-reachable': 'No shared node can be reached.',
  'host-not-found': 'Nobody hosts this room.',
}
