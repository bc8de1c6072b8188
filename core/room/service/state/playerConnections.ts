import { setNewest } from '#core/boundedMemory'
import type { MemberLink, RelayKind } from '../../networkStatus'
import { RELAY_REASONS, type RelayReason } from '../../networkStatus'
import type { Profile } from '../../profiles'

/** How a player is connected with this machine, as clients see it. Absence is null, as in all JSON of the service. */
export type PlayerConnection = {
  /** For a member without a player, its id among the guests. */
  readonly machineId: string
  /** At a host: players with the same number come from one address, or through one relay. */
  readonly group: number | null
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
 * The connections that a host shows: one for each player whose member is in the network, including those who wait.
 * @param playersOf machine ids of the players for whom a member speaks
 */
export function connectionsOfGuests(
  links: readonly MemberLink[],
  groupOf: (memberId: string) => number | null,
  playersOf: (memberId: string) => readonly string[],
): readonly PlayerConnection[] {
  return links.flatMap((link) =>
    playersOf(link.memberId).map((machineId) => toConnection(machineId, groupOf(link.memberId), link)),
  )
}

/** More than there are members. */
const MAX_GROUPS = 256

/** Numbers groups, because the host shows its page to others, who must not see addresses. */
export function createGroupNumbers(): (group: string | undefined) => number | null {
  const numbers = new Map<string, number>()
  let last = 0
  return (group) => {
    if (group === undefined) return null
    const number = numbers.get(group) ?? ++last
    setNewest(numbers, group, number, MAX_GROUPS)
    return number
  }
}

/** The connection that a guest shows: the one to the host, once the host's profile is known. */
export function connectionToHost(
  links: readonly MemberLink[],
  players: readonly Profile[],
): readonly PlayerConnection[] {
  const host = players.find(({ kind }) => kind === 'HOST')
  return host ? links.slice(0, 1).map((link) => toConnection(host.machineId, null, link)) : []
}

function toConnection(machineId: string, group: number | null, link: MemberLink): PlayerConnection {
  const { relayReason } = link
  return {
    machineId,
    group,
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
