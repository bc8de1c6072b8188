import type { Clock } from '#core/async/clock'
import type { Log } from '#core/log'
import type { Standing } from '#core/shares'
import type { Member } from '../../networkStatus'
import { type KnownGuest, memberIdIn, toKnownGuest, toMemberPlayer } from '../../profiles'
import { BYE_MS, type Goodbye } from '../../scaffolding/goodbye'
import type { HostAdmission } from '../../scaffolding/players/admission'
import { createHostAdmission } from '../../scaffolding/players/hostAdmission'
import type { AdmissionPolicy, HostDecisions } from '../../scaffolding/players/hostDecisions'
import type { PlayerRegistry } from '../../scaffolding/players/registry'
import { createMemberStreams } from '../streams/memberStreams'
import { createUnseenMembers } from './unseenMembers'

/** How long a banned member may take to ask again, and to be told. */
const RETURN_MS = 2000

/** What a host decides about its guests. Ids are machine ids, or those of members without a player. */
export type GuestControl = {
  /** @throws ServiceError `not-found` when no such player waits or was refused, and no such member has no player; `too-busy` when the room is full */
  approve(id: string): void
  /** @throws ServiceError `not-found` when no such player waits */
  refuse(id: string): void
  /**
   * Closes what the player's member has open, and refuses it until the room closes.
   * @throws ServiceError `not-found` when no such guest is in the room, nor such a member in its network
   */
  kick(id: string): void
  setPolicy(policy: AdmissionPolicy): void
}

export type GuestControlWithStreams = GuestControl & {
  readonly admission: HostAdmission
  /** Whether a member may open another stream to the room protocol: a banned one has one at a time, to be told. */
  mayReachRoom(memberId: string): boolean
  /** Whether a member may reach the world. */
  mayReachWorld(memberId: string): boolean
  /** Those who wait, were refused or removed, and members without a player. */
  guests(): readonly KnownGuest[]
  /** To be called when members of the network, or players, have changed. */
  look(): void
  /**
   * Registers what a member has open.
   * @param isWorld closed at once when the member is removed, else after it was told
   */
  keep(memberId: string, isWorld: boolean, close: () => void, closed: Promise<unknown>): void
}

export function createGuestControl(dependencies: {
  readonly registry: PlayerRegistry
  readonly goodbye: Goodbye
  readonly decisions: HostDecisions
  /** Those that are in the network. */
  readonly members: () => readonly Member[]
  /** Those of them that host as well. */
  readonly secondHosts: () => readonly Member[]
  /** Of them, where too many wait. */
  readonly standing: () => Standing<string>
  readonly addressOf: (memberId: string) => string | undefined
  readonly isPrivate: boolean
  readonly onChange: () => void
  /** A player who was let in can be recognised from now on. */
  readonly onKnown: () => void
  /** A member was removed: what it knows must not be of use to it. */
  readonly onRemoved: () => void
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}): GuestControlWithStreams {
  const { registry, goodbye, members, onChange, clock, log } = dependencies
  const toWorld = createMemberStreams()
  const toRoom = createMemberStreams()
  const memberOf = (memberId: string) => members().find(({ id }) => id === memberId)
  const nameOf = (guestId: string) => {
    const known = [...registry.list(), ...guests().map(({ id, name }) => ({ machineId: id, name }))]
    return known.find(({ machineId }) => machineId === guestId)?.name
  }
  const admission = createHostAdmission({
    ...dependencies,
    memberOf,
    onChange() {
      unseen.look()
      onChange()
    },
  })
  const unseen = createUnseenMembers({
    ...dependencies,
    hasPlace: admission.hasPlace,
    inWorld: toWorld.members,
    mayReturn: goodbye.isKnownTo,
    onEnd(memberId, why) {
      log.info('connections to the world are closed', { memberId, why })
      toWorld.closeAll(memberId)
    },
    onChange,
  })

  return {
    admission,
    approve: admission.approve,
    refuse(id) {
      const memberId = admission.refuse(id)
      if (memberId !== undefined) end(memberId, RETURN_MS)
    },
    setPolicy: admission.setPolicy,
    kick(id) {
      const name = nameOf(id)
      const others = unseenOf(id)
      const removed = [admission.remove(id), ...others.map(admission.remove)].flatMap((one) => one ?? [])
      log.info('a guest was removed', { name, others: others.length })
      for (const memberId of removed) {
        end(memberId, BYE_MS)
        goodbye.tellRemoved(memberId)
      }
      if (removed.length > 0) dependencies.onRemoved()
    },
    guests,
    look: unseen.look,
    mayReachRoom: (memberId) => !admission.isBanned(memberId) || !toRoom.has(memberId),
    mayReachWorld: (memberId) =>
      admission.accessOf(memberId) === 'admitted' &&
      (admission.hasPlace(memberId) || (memberOf(memberId) !== undefined && !unseen.isOverdue(memberId))),
    keep(memberId, isWorld, close, closed) {
      const streams = isWorld ? toWorld : toRoom
      streams.add(memberId, close, closed)
      if (isWorld || !admission.isBanned(memberId)) return
      const cancel = clock.after(RETURN_MS, close)
      void closed.finally(cancel)
    },
  }

  /** The others without a player that connect from where this one does: none of them could get a player unasked. */
  function unseenOf(id: string): readonly string[] {
    const memberId = memberIdIn(id)
    const address = memberId === undefined ? undefined : dependencies.addressOf(memberId)
    if (address === undefined) return []
    const others = guests().filter(({ id: other, state }) => other !== id && state === 'unregistered')
    return others.flatMap(({ id: other }) =>
      dependencies.addressOf(memberIdIn(other) ?? '') === address ? [other] : [],
    )
  }

  /** @param ms how long the member has to be told */
  function end(memberId: string, ms: number): void {
    toWorld.closeAll(memberId)
    clock.after(ms, () => {
      if (admission.isBanned(memberId)) toRoom.closeAll(memberId)
    })
  }

  function guests(): readonly KnownGuest[] {
    const hosts = dependencies.secondHosts()
    const isHost = (memberId: string) => hosts.some(({ id }) => id === memberId)
    const others = unseen.list().filter(({ id }) => !admission.isListed(id) && !isHost(id))
    const shown = (state: KnownGuest['state']) => (member: Member) =>
      toKnownGuest(toMemberPlayer(member), state)
    return [...hosts.map(shown('second-host')), ...admission.guests(), ...others.map(shown('unregistered'))]
  }
}
