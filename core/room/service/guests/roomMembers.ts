import { isLoopbackAddress, networkOfAddress } from '#core/addressRanges'
import type { Clock } from '#core/async/clock'
import type { Denial, Standing } from '#core/shares'
import type { Member, MemberLink } from '../../networkStatus'
import { type HostConnection, THIS_MACHINE } from '../../roomNetwork'
import type { Bans } from '../../scaffolding/players/bans'

/** How long a trace of an earlier run of this host may stay visible: less than this. */
const STALE_MS = 30_000

/** The members in the network of a hosted room. There are none until the network is open. */
export class RoomMembers {
  readonly #bans: Bans
  readonly #clock: Pick<Clock, 'now'>
  #connection: HostConnection | undefined
  /** Since when each member that hosts with the code of this room as well has been seen. */
  #hostsSince: ReadonlyMap<string, number> = new Map()
  /** Those of them that have answered something, and so are running. */
  #hostsAlive: ReadonlySet<string> = new Set()

  constructor(bans: Bans, clock: Pick<Clock, 'now'>) {
    this.#bans = bans
    this.#clock = clock
  }

  connect(connection: HostConnection): void {
    this.#connection = connection
  }

  list(): readonly Member[] {
    return this.#connection?.members() ?? []
  }

  links(): readonly MemberLink[] {
    return this.#connection?.links() ?? []
  }

  find(memberId: string): Member | undefined {
    return this.list().find(({ id }) => id === memberId)
  }

  isConnected(memberId: string): boolean {
    return memberId === THIS_MACHINE || this.find(memberId) !== undefined
  }

  /** The network from which a member connects directly, unless it runs on this machine. */
  remoteNetworkOf(memberId: string): string | undefined {
    const address = this.find(memberId)?.remoteAddress
    return address === undefined || isLoopbackAddress(address) ? undefined : networkOfAddress(address)
  }

  /** The group of each member, as its network tells it. */
  groups(): ReadonlyMap<string, Member['group']> {
    return new Map(this.list().map(({ id, group }) => [id, group]))
  }

  /** @param isSettled by default all are, as members are that have a player or wait to be let in */
  standing(isSettled: (memberId: string) => boolean = () => true): Standing<string> {
    const groups = this.groups()
    return { groupOf: (memberId) => groups.get(memberId) ?? memberId, isSettled }
  }

  /** Has the network hold back a member that asks for more than its share again and again. */
  noteOverShare(memberId: string, denial: Denial | undefined): void {
    if (memberId !== THIS_MACHINE) this.#connection?.noteOverShare(memberId, denial)
  }

  /** The secret of the network to which a private room has moved; undefined while it has not. */
  secret(): Uint8Array | undefined {
    return this.#connection?.secret?.current()
  }

  /** Moves a private room to another network, because a member that was removed knows the present one. */
  changeSecret(): void {
    this.#connection?.secret?.change()
  }

  /** The members that host with the code of this room as well, as its host sees them: friends by mistake, or imposters. */
  secondHosts(): readonly Member[] {
    return this.#hosts().filter(({ id }) => this.#hostsAlive.has(id) || this.#isOldHost(id))
  }

  /** To be called when members or links may have changed. */
  look(): void {
    const answered = this.links().filter(({ latencyMs }) => latencyMs !== undefined)
    const hasAnswered = (id: string) => answered.some(({ memberId }) => memberId === id)
    const ids = this.#hosts().map(({ id }) => id)
    this.#hostsSince = new Map(ids.map((id) => [id, this.#hostsSince.get(id) ?? this.#clock.now()]))
    this.#hostsAlive = new Set(ids.filter((id) => this.#hostsAlive.has(id) || hasAnswered(id)))
  }

  #hosts(): readonly Member[] {
    return this.list().filter(
      ({ id, isHost }) => isHost === true && this.#bans.stateOfMember(id) === undefined,
    )
  }

  #isOldHost(id: string): boolean {
    const since = this.#hostsSince.get(id)
    return since !== undefined && this.#clock.now() - since >= STALE_MS
  }
}
