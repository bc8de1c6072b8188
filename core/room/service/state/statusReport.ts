import type { ShownPort } from '../../extraPorts'
import type { FailureCode } from '../../failure'
import type { NetworkStatus, RelayKind } from '../../networkStatus'
import { FRIEND_RELAY_STATES, type FriendRelay } from '../../networkStatus'
import type { NoticeCode } from './notices'
import type { RoomView } from './roomView'
import type { Role, Stage } from './stages'

/** The room in detail, without its players and the time of the last change: what a `status` message of the feed tells. */
export type StatusReport = {
  readonly state: Stage
  readonly role: Role | null
  readonly error: string | null
  readonly roomCode: string | null
  readonly gamePort: number
  readonly url: string | null
  readonly errorCode: FailureCode | null
  readonly stage: Stage | null
  readonly hint: string | null
  readonly hintCode: NoticeCode | null
  readonly network: NetworkReport | null
  readonly ports: PortReport[]
}

/** A port that the host shares beside the world's: its numbers at the host, and on this machine. */
export type PortReport = {
  readonly name: string
  readonly tcp: number | null
  readonly udp: number | null
  readonly localTcp: number | null
  readonly localUdp: number | null
}

/** Absence is null here, as everywhere in the JSON of the service. */
export type NetworkReport = {
  readonly privacy: NetworkStatus['privacy']
  readonly nodes: {
    readonly url: string
    readonly state: NetworkStatus['nodes'][number]['state']
    readonly latencyMs: number | null
    readonly problem: string | null
  }[]
  readonly mappings: { method: 'pcp' | 'nat-pmp' | 'upnp'; transport: 'tcp' | 'udp'; external: string }[]
  readonly friendRelay: (FriendRelay & { readonly text: string }) | null
  readonly path: 'direct' | 'relay' | null
  readonly relayedBy: RelayKind | null
  readonly carrier: string | null
  readonly latencyMs: number | null
}

export function toStatusReport(view: RoomView): StatusReport {
  const { failure } = view
  const notice = view.notice ?? view.warning
  return {
    state: view.stage,
    role: view.role,
    error: failure?.detail ?? null,
    roomCode: view.room,
    gamePort: view.gamePort,
    url: view.url,
    errorCode: failure?.code ?? null,
    stage: failure?.stage ?? null,
    hint: failure?.hint ?? notice?.text ?? null,
    hintCode: failure ? null : (notice?.code ?? null),
    network: view.network && toNetworkReport(view.network),
    ports: view.ports.map(toPortReport),
  }
}

function toPortReport({ name, tcp, udp, localTcp, localUdp }: ShownPort): PortReport {
  return {
    name,
    tcp: tcp ?? null,
    udp: udp ?? null,
    localTcp: localTcp ?? null,
    localUdp: localUdp ?? null,
  }
}

function toNetworkReport({ privacy, nodes, mappings, friendRelay, path }: NetworkStatus): NetworkReport {
  return {
    privacy,
    nodes: nodes.map(({ url, state, latencyMs, problem }) => ({
      url,
      state,
      latencyMs: latencyMs ?? null,
      problem: problem ?? null,
    })),
    mappings: [...mappings],
    friendRelay: friendRelay ? { ...friendRelay, text: FRIEND_RELAY_STATES[friendRelay.state] } : null,
    path: path?.kind ?? null,
    relayedBy: path?.relayedBy ?? null,
    carrier: path?.transport ?? null,
    latencyMs: path?.latencyMs ?? null,
  }
}
