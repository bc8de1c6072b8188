import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { type KnownGuest, memberIdIn, toKnownGuest, toMemberPlayer } from '@lantern-room/protocol'
import type { HostAdmission, PlayerRegistry } from '@lantern-room/protocol/server'
import { BYE_MS, type Goodbye } from '@lantern-room/protocol/server'
import type { Member } from '../../networkStatus'
import type { RoomMembers } from './roomMembers'
import { createUnseenMembers, type UnseenMembers } from './unseenMembers'

/** How long a banned member may take to ask again, and to be told. */
const RETURN_MS = 2000

export type GuestControlDependencies = {
  readonly registry: PlayerRegistry
  readonly goodbye: Goodbye
  readonly admission: HostAdmission
  readonly members: RoomMembers
  /** Called when `guests`, or what a member may do, has changed. */
  readonly onChange: () => void
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Applies the host's decisions about its guests, and closes the streams of those who are removed. */
export class GuestControl {
  readonly admission: HostAdmission
  readonly #dependencies: GuestControlDependencies
  readonly #unseen: UnseenMembers
  readonly #toWorld: OpenStreams
  readonly #toRoom = createOpenStreams()

  private constructor(dependencies: GuestControlDependencies, unseen: UnseenMembers, toWorld: OpenStreams) {
    this.admission = dependencies.admission
    this.#dependencies = dependencies
    this.#unseen = unseen
    this.#toWorld = toWorld
  }

  static open(dependencies: GuestControlDependencies): GuestControl {
    const { admission, members, goodbye, onChange, clock, log, signal } = dependencies
    const toWorld = createOpenStreams()
    const unseen = createUnseenMembers({
      clock,
      signal,
      members: () => members.list(),
      hasPlace: admission.hasPlace,
      inWorld: () => toWorld.members(),
      mayReturn: goodbye.isKnownTo,
      onChange,
      onEnd: (memberId, why) => {
        log.info('connections to the world are closed', { memberId, why })
        toWorld.closeAll(memberId)
      },
    })
    admission.onChange(() => {
      unseen.look()
      onChange()
    })
    return new GuestControl(dependencies, unseen, toWorld)
  }

  /** @throws ServiceError `not-found` when no such player waits */
  refuse(id: string): void {
    const memberId = this.admission.refuse(id)
    if (memberId !== undefined) this.#end(memberId, RETURN_MS)
  }

  /**
   * Closes what the player's member has open, and refuses it until the room closes.
   * @throws ServiceError `not-found` when no such guest is in the room, nor such a member in its network
   */
  kick(id: string): void {
    const { members, goodbye, log } = this.#dependencies
    const name = this.#nameOf(id)
    const others = this.#unseenWith(id)
    const removed = [id, ...others].flatMap((one) => this.admission.remove(one) ?? [])
    log.info('a guest was removed', { name, others: others.length })
    for (const memberId of removed) {
      this.#end(memberId, BYE_MS)
      goodbye.tellRemoved(memberId)
    }
    if (removed.length > 0) members.changeSecret()
  }

  /** The guests who wait, were refused or removed, and members without a player. */
  guests(): readonly KnownGuest[] {
    const hosts = this.#dependencies.members.secondHosts()
    const isHost = (memberId: string) => hosts.some(({ id }) => id === memberId)
    const others = this.#unseen.list().filter(({ id }) => !this.admission.isListed(id) && !isHost(id))
    const shown = (state: KnownGuest['state']) => (member: Member) =>
      toKnownGuest(toMemberPlayer(member), state)
    return [
      ...hosts.map(shown('second-host')),
      ...this.admission.guests(),
      ...others.map(shown('unregistered')),
    ]
  }

  /** To be called when members of the network, or players, have changed. */
  look(): void {
    this.#unseen.look()
  }

  /** Whether a member may open another stream to the room protocol: a banned one has one at a time, to be told. */
  mayReachRoom(memberId: string): boolean {
    return !this.admission.isBanned(memberId) || !this.#toRoom.has(memberId)
  }

  mayReachWorld(memberId: string): boolean {
    if (this.admission.accessOf(memberId) !== 'admitted') return false
    if (this.admission.hasPlace(memberId)) return true
    return this.#dependencies.members.find(memberId) !== undefined && !this.#unseen.isOverdue(memberId)
  }

  /**
   * Registers what a member has open.
   * @param isWorld closed at once when the member is removed, else after it was told
   */
  keep(memberId: string, isWorld: boolean, close: () => void, closed: Promise<unknown>): void {
    const streams = isWorld ? this.#toWorld : this.#toRoom
    streams.add(memberId, close, closed)
    if (isWorld || !this.admission.isBanned(memberId)) return
    const cancel = this.#dependencies.clock.after(RETURN_MS, close)
    void closed.finally(cancel)
  }

  /**
   * Closes what a member has open in the world, unless it has players still: its player has come back as another member, which the
   * world would refuse as long as the former connection is open ("already playing").
   */
  leaveWorld(memberId: string): void {
    const { registry, log } = this.#dependencies
    if (!this.#toWorld.has(memberId) || registry.idsOf(memberId).length > 0) return
    log.info('connections to the world are closed', { memberId, why: 'its player is back' })
    this.#toWorld.closeAll(memberId)
  }

  #nameOf(guestId: string): string | undefined {
    const player = this.#dependencies.registry.list().find(({ machineId }) => machineId === guestId)
    return (player ?? this.guests().find(({ id }) => id === guestId))?.name
  }

  /** The others without a player that connect from where this one does: none of them could get a player unasked. */
  #unseenWith(id: string): readonly string[] {
    const { members } = this.#dependencies
    const memberId = memberIdIn(id)
    const address = memberId === undefined ? undefined : members.remoteNetworkOf(memberId)
    if (address === undefined) return []
    const others = this.guests().filter(({ id: other, state }) => other !== id && state === 'unregistered')
    return others.flatMap(({ id: other }) =>
      members.remoteNetworkOf(memberIdIn(other) ?? '') === address ? [other] : [],
    )
  }

  /** @param ms how long the member has to be told */
  #end(memberId: string, ms: number): void {
    this.#toWorld.closeAll(memberId)
    this.#dependencies.clock.after(ms, () => {
      if (this.admission.isBanned(memberId)) this.#toRoom.closeAll(memberId)
    })
  }
}

type OpenStreams = ReturnType<typeof createOpenStreams>

/** The open streams of each member, so that they can be closed at once. */
function createOpenStreams() {
  const open = new Map<string, Set<() => void>>()

  return {
    /** @param closed resolves when it is closed; it is forgotten then */
    add(memberId: string, close: () => void, closed: Promise<unknown>): void {
      const own = open.get(memberId) ?? new Set()
      open.set(memberId, own.add(close))
      void closed.finally(() => {
        own.delete(close)
        if (own.size === 0 && open.get(memberId) === own) open.delete(memberId)
      })
    },
    closeAll(memberId: string): void {
      for (const close of [...(open.get(memberId) ?? [])]) close()
    },
    /** The members that have anything open. */
    members: (): readonly string[] => [...open.keys()],
    has: (memberId: string): boolean => open.has(memberId),
  }
}
