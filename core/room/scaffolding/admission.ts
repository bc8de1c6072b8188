import { onAbort } from '#core/async/onAbort'
import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import { THIS_MACHINE } from '../ports'
import type { Player, Profile } from '../profiles'
import type { Caller } from './caller'
import { REFUSED, REMOVED, ROOM_FULL } from './commands'
import type { PlayerRegistry } from './registry'

/** Whom the host lets in. */
export type AdmissionPolicy = {
  /** Players who are not allowed by name or id wait until the host answers. */
  readonly needsApproval: boolean
  /** Names (in any case) or machine ids. Without approval, and if there is one, nobody else is let in. */
  readonly allowed: readonly string[]
}

export const OPEN_POLICY: AdmissionPolicy = { needsApproval: false, allowed: [] }

export const GUEST_STATES = ['waiting', 'refused', 'removed'] as const

/** A player who is not in the room: waits for the host's answer, was refused, or was removed. */
export type KnownGuest = {
  /** The machine id. */
  readonly id: string
  readonly name: string
  readonly vendor: string
  readonly state: (typeof GUEST_STATES)[number]
}

/** What a member may do: `admitted` all, `waiting` nothing until the host answers, `refused` nothing. */
export type Access = 'admitted' | 'waiting' | 'refused'

export type Admission = {
  /**
   * Decides on a player who registers.
   * @returns whether it may be registered now; otherwise it waits as long as the caller's connection is open
   * @throws ServiceError `forbidden` when it is refused, `too-busy` when too many wait
   */
  admit(player: Player, caller: Caller): boolean
  accessOf(memberId: string): Access
  /** The players who wait, of this member. */
  waitingOf(memberId: string): readonly Profile[]
}

/** Admits everyone. */
export const OPEN_ADMISSION: Admission = {
  admit: () => true,
  accessOf: () => 'admitted',
  waitingOf: () => [],
}

export type HostAdmission = Admission & {
  /** The players that the host can answer, or has refused; the waiting first. */
  guests(): readonly KnownGuest[]
  /** Whether nothing of this member is to be accepted. */
  isBanned(memberId: string): boolean
  /** Lets a waiting or refused player in, for as long as the room exists. @throws ServiceError `not-found` */
  approve(id: string): void
  /** Refuses a waiting player, for as long as the room exists. @throws ServiceError `not-found` */
  refuse(id: string): void
  /**
   * Removes a player, with its member and the address from which that member connects directly.
   * @returns the member; undefined when it is a program on this machine
   * @throws ServiceError `not-found`
   */
  remove(id: string): string | undefined
  setPolicy(policy: AdmissionPolicy): void
}

type Waiting = { readonly player: Player; readonly caller: Caller; readonly stopExpiry: () => void }
type Banned = KnownGuest & { readonly memberId: string | undefined; readonly address: string | undefined }

export const MAX_WAITING = 64
export const MAX_WAITING_PER_MEMBER = 4
/** How long a player waits after its last sign; guests of other programs send none while an answer is held for 55 s. */
export const WAITING_EXPIRY_MS = 60_000

/**
 * Who may enter a hosted room. Members who are not admitted can speak the room protocol, in order to be told, and reach
 * nothing else.
 * @param dependencies.addressOf the network of the machine that a member connects from directly; undefined through a relay
 * @param dependencies.onChange called when `guests` or the access of a member has changed
 */
export function createHostAdmission(dependencies: {
  readonly registry: PlayerRegistry
  readonly policy: AdmissionPolicy
  readonly addressOf: (memberId: string) => string | undefined
  readonly clock: Clock
  readonly onChange: () => void
}): HostAdmission {
  const { registry, addressOf, clock, onChange } = dependencies
  const waiting = new Map<string, Waiting>()
  const banned = new Map<string, Banned>()
  const approved = new Set<string>()
  let policy = dependencies.policy

  return {
    admit(player, caller) {
      const { machineId } = player
      refuseBanned(machineId, caller.memberId)
      if (mayEnter(player, caller.memberId)) {
        stopWaiting(machineId)
        return true
      }
      if (!policy.needsApproval) throw new ServiceError('forbidden', REFUSED)
      wait(player, caller)
      return false
    },
    accessOf,
    waitingOf: (memberId) =>
      [...waiting.values()]
        .filter(({ caller }) => caller.memberId === memberId)
        .map(({ player }) => ({ ...player, kind: 'GUEST' })),
    guests: () => [
      ...[...waiting.values()].map(({ player }) => toGuest(player, 'waiting')),
      ...[...banned.values()].map(({ id, name, vendor, state }) => ({ id, name, vendor, state })),
    ],
    isBanned,
    approve(id) {
      const entry = waiting.get(id)
      const ban = banned.get(id)
      if (!entry && !ban) throw noGuest(id)
      approved.add(id)
      if (ban) liftBan(ban)
      if (entry) enter(entry)
      onChange()
    },
    refuse(id) {
      const entry = waiting.get(id)
      if (!entry) throw noGuest(id)
      stopWaiting(id)
      ban(entry.player, 'refused', { ...NOWHERE, memberId: entry.caller.memberId })
      onChange()
    },
    remove(id) {
      const player = registry.list().find(({ machineId, kind }) => machineId === id && kind === 'GUEST')
      const memberId = registry.memberOf(id)
      if (!player || memberId === undefined) throw noGuest(id)
      const isOfThisMachine = memberId === THIS_MACHINE
      const from = isOfThisMachine ? NOWHERE : { memberId, address: addressOf(memberId) }
      const isGone = (one: Profile) =>
        isOfThisMachine ? one === player : registry.memberOf(one.machineId) === memberId
      for (const one of registry.list().filter(isGone)) {
        ban(one, 'removed', from)
        registry.leave(one.machineId, memberId)
      }
      onChange()
      return from.memberId
    },
    setPolicy(next) {
      policy = next
      for (const entry of [...waiting.values()]) {
        if (mayEnter(entry.player, entry.caller.memberId)) tryEnter(entry)
      }
      onChange()
    },
  }

  function accessOf(memberId: string): Access {
    if (isRegistered(memberId)) return 'admitted'
    const isRefused = [...banned.values()].some((one) => one.memberId === memberId)
    if (isRefused) return 'refused'
    // A member without a player cannot be told from one who was removed and returns as another.
    const isGuarded = policy.needsApproval || policy.allowed.length > 0 || banned.size > 0
    return isGuarded ? 'waiting' : 'admitted'
  }

  function isRegistered(memberId: string): boolean {
    return registry.list().some(({ machineId }) => registry.memberOf(machineId) === memberId)
  }

  function isBanned(memberId: string): boolean {
    return [...banned.values()].some((one) => one.state === 'removed' && one.memberId === memberId)
  }

  function refuseBanned(machineId: string, memberId: string): void {
    const own = banned.get(machineId)
    if (own) throw new ServiceError('forbidden', own.state === 'removed' ? REMOVED : REFUSED)
    if (isBanned(memberId)) throw new ServiceError('forbidden', REMOVED)
  }

  function mayEnter(player: Player, memberId: string): boolean {
    const { machineId } = player
    if (registry.memberOf(machineId) !== undefined || approved.has(machineId)) return true
    if (isAllowed(player, policy)) return true
    const isGuarded = policy.needsApproval || policy.allowed.length > 0
    return !isGuarded && !comesFromBanned(memberId)
  }

  /** Whether it connects from where a removed member did. */
  function comesFromBanned(memberId: string): boolean {
    const address = addressOf(memberId)
    return address !== undefined && [...banned.values()].some((one) => one.address === address)
  }

  function wait(player: Player, caller: Caller): void {
    const { machineId } = player
    const known = waiting.get(machineId)
    // As in the registry: a guest that was killed may be back before its old connection is known to be gone.
    if (known && known.caller.memberId !== caller.memberId) return
    if (!known && isFull(caller.memberId)) throw new ServiceError('too-busy', ROOM_FULL)
    known?.stopExpiry()
    const give = () => {
      if (waiting.get(machineId)?.caller !== caller) return
      stopWaiting(machineId)
      onChange()
    }
    const cancel = clock.after(WAITING_EXPIRY_MS, give)
    const unsubscribe = onAbort(caller.signal, give)
    const stopExpiry = () => {
      cancel()
      unsubscribe()
    }
    waiting.set(machineId, { player, caller, stopExpiry })
    if (known?.player.name !== player.name || known.player.vendor !== player.vendor) onChange()
  }

  /** @throws ServiceError when the room is full */
  function enter({ player, caller }: Waiting): void {
    registry.ping(player, caller.memberId)
    stopWaiting(player.machineId)
  }

  function tryEnter(entry: Waiting): void {
    try {
      enter(entry)
    } catch (error) {
      // Goes on waiting where the room is full.
      if (!(error instanceof ServiceError)) throw error
    }
  }

  /** Other players of the same member stay refused, but the member is not. */
  function liftBan({ id, memberId }: Banned): void {
    banned.delete(id)
    for (const [other, one] of banned) {
      if (memberId !== undefined && one.memberId === memberId) banned.set(other, { ...one, ...NOWHERE })
    }
  }

  function isFull(memberId: string): boolean {
    const own = [...waiting.values()].filter(({ caller }) => caller.memberId === memberId).length
    return waiting.size >= MAX_WAITING || own >= MAX_WAITING_PER_MEMBER
  }

  function stopWaiting(machineId: string): void {
    waiting.get(machineId)?.stopExpiry()
    waiting.delete(machineId)
  }

  function ban(
    player: Player,
    state: 'refused' | 'removed',
    from: Pick<Banned, 'memberId' | 'address'>,
  ): void {
    approved.delete(player.machineId)
    banned.set(player.machineId, { ...toGuest(player, state), ...from })
  }
}

const NOWHERE = { memberId: undefined, address: undefined } as const

/** By name, in any case, or by machine id. Names can be chosen freely, ids only by players of other programs. */
function isAllowed({ name, machineId }: Player, { allowed }: AdmissionPolicy): boolean {
  const lowered = name.toLowerCase()
  return allowed.some((word) => word === machineId || word.toLowerCase() === lowered)
}

function toGuest({ name, machineId, vendor }: Player, state: KnownGuest['state']): KnownGuest {
  return { id: machineId, name, vendor, state }
}

function noGuest(id: string): ServiceError {
  return new ServiceError('not-found', `No guest has the id ${id}: GET /room/status lists the guests.`)
}
