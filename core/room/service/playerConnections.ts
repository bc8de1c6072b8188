import type { MemberLink, RelayKind } from '../networkStatus'
import type { Profile } from '../profiles'
import { RELAY_REASONS, type RelayReason } from '../relayReasons'

/** How a player is connected with this machine, as clients see it. Absence is null, as in all JSON of the service. */
export type PlayerConnection = {
  readonly machineId: string
  readonly path: 'direct' | 'lan' | 'relay' | null
  /** The transport. */
  readonly carrier: string | null
  readonly latencyMs: number | null
  /** 0 to 1. */
  readonly loss: number | null
  readonly sentBytesPerSecond: number | null
  readonly receivedBytesPerSecond: number | null
  readonly relayedBy: RelayKind | null
  /** Why it is relayed; null when it is not. */
  readonly relayed: {
    readonly code: RelayReason
    readonly text: string
    readonly hint: string
  } | null
}

/**
 * Of a host: one for each player whose member is in the network, also for those who wait.
 * @param playersOf machine ids of the players for whom a member speaks
 */
export function connectionsOfGuests(
  links: readonly MemberLink[],
  playersOf: (memberId: string) => readonly string[],
): readonly PlayerConnection[] {
  return links.flatMap((link) => playersOf(link.memberId).map((machineId) => toConnection(machineId, link)))
}

/** Of a guest: the one to the host, once the host's profile is known. */
export function connectionToHost(
  links: readonly MemberLink[],
  players: readonly Profile[],
): readonly PlayerConnection[] {
  const host = players.find(({ kind }) => kind === 'HOST')
  return host ? links.slice(0, 1).map((link) => toConnection(host.machineId, link)) : []
}

function toConnection(machineId: string, link: MemberLink): PlayerConnection {
  const { relayReason } = link
  return {
    machineId,
    path: link.path ?? null,
    carrier: link.transport ?? null,
    latencyMs: rounded(link.latencyMs, 10),
    loss: rounded(link.loss, 100),
    sentBytesPerSecond: rounded(link.sentPerSecond, 1),
    receivedBytesPerSecond: rounded(link.receivedPerSecond, 1),
    relayedBy: link.relayedBy ?? null,
    relayed: relayReason === undefined ? null : { code: relayReason, ...RELAY_REASONS[relayReason] },
  }
}

/** @param parts of one: 10 for one decimal place */
function rounded(value: number | undefined, parts: number): number | null {
  return value === undefined ? null : Math.round(value * parts) / parts
}
