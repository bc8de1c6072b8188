import type { Clock } from '@lantern-room/base/async'
import type { Denial, Standing } from '@lantern-room/base/limits'
import { isLoopbackAddress, networkOfAddress } from '@lantern-room/base/network'
import type { Bans } from '@lantern-room/protocol/server'
import { THIS_MACHINE } from '@lantern-room/protocol/server'
import type { Member, MemberLink } from '../../networkStatus'
import type { HostConnection } from '../../roomNetwork'

/** How long a trace of an earlier run of this host may stay visible: less than this. */
const STALE_MS = 30_000

export type RoomMembers = ReturnType<typeof createRoomMembers>

/** The members in the network of a hosted room. There are none until the network is open. */
export function createRoomMembers(bans: Bans, clock: Pick<Clock, 'now'>) {
  let connection: HostConnection | undefined
  /** Since when each member that hosts with the code of this room as well has been seen. */
  let hostsSince: ReadonlyMap<string, number> = new Map()
  /** Those of them that have answered something, and so are running. */
  let hostsAlive: ReadonlySet<string> = new Set()
  const list = (): readonly Member[] => connection?.members() ?? []
  const links = (): readonly MemberLink[] => connection?.links() ?? []
  const find = (memberId: string): Member | undefined => list().find(({ id }) => id === memberId)
  /** The group of each member, as its network tells it. */
  const groups = (): ReadonlyMap<string, Member['group']> =>
    new Map(list().map(({ id, group }) => [id, group]))

  return {
    connect(next: HostConnection): void {
      connection = next
    },
    list,
    links,
    find,
    isConnected: (memberId: string): boolean => memberId === THIS_MACHINE || find(memberId) !== undefined,
    /** Whether a member gives a sign of life within a few seconds. */
    answers: async (memberId: string): Promise<boolean> =>
      memberId === THIS_MACHINE || (await connection?.answers(memberId)) === true,
    /** The network from which a member connects directly, unless it runs on this machine. */
    remoteNetworkOf(memberId: string): string | undefined {
      const address = find(memberId)?.remoteAddress
      return address === undefined || isLoopbackAddress(address) ? undefined : networkOfAddress(address)
    },
    groups,
    /** @param isSettled by default all are, as members are that have a player or wait to be let in */
    standing(isSettled: (memberId: string) => boolean = () => true): Standing<string> {
      const known = groups()
      return { groupOf: (memberId) => known.get(memberId) ?? memberId, isSettled }
    },
    /** Has the network hold back a member that asks for more than its share again and again. */
    noteOverShare(memberId: string, denial: Denial | undefined): void {
      if (memberId !== THIS_MACHINE) connection?.noteOverShare(memberId, denial)
    },
    /** The secret of the network to which a private room has moved; undefined while it has not. */
    secret: (): Uint8Array | undefined => connection?.secret?.current(),
    /** Moves a private room to another network, because a member that was removed knows the present one. */
    changeSecret: (): void => connection?.secret?.change(),
    /** The members that host with the code of this room as well, as its host sees them: friends by mistake, or imposters. */
    secondHosts: (): readonly Member[] => hosts().filter(({ id }) => hostsAlive.has(id) || isOldHost(id)),
    /** To be called when members or links may have changed. */
    look(): void {
      const answered = links().filter(({ latencyMs }) => latencyMs !== undefined)
      const hasAnswered = (id: string) => answered.some(({ memberId }) => memberId === id)
      const ids = hosts().map(({ id }) => id)
      hostsSince = new Map(ids.map((id) => [id, hostsSince.get(id) ?? clock.now()]))
      hostsAlive = new Set(ids.filter((id) => hostsAlive.has(id) || hasAnswered(id)))
    },
  }

  function hosts(): readonly Member[] {
    return list().filter(({ id, isHost }) => isHost === true && bans.stateOfMember(id) === undefined)
  }

  function isOldHost(id: string): boolean {
    const since = hostsSince.get(id)
    return since !== undefined && clock.now() - since >= STALE_MS
  }
}
