import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import {
  type AdmissionPolicy,
  createHostAdmission,
  type HostAdmission,
  type HostDecisions,
} from '../scaffolding/admission'
import { BYE_MS, type Goodbye } from '../scaffolding/goodbye'
import type { PlayerRegistry } from '../scaffolding/registry'
import { createMemberStreams } from './memberStreams'

/** What a host decides about its guests. Ids are machine ids. */
export type GuestControl = {
  /** @throws ServiceError `not-found` when no such player waits or was refused, `too-busy` when the room is full */
  approve(id: string): void
  /** @throws ServiceError `not-found` when no such player waits */
  refuse(id: string): void
  /**
   * Closes what the player's member has open, and refuses it until the room closes.
   * @throws ServiceError `not-found` when no such guest is in the room
   */
  kick(id: string): void
  setPolicy(policy: AdmissionPolicy): void
}

export type GuestControlWithStreams = GuestControl & {
  readonly admission: HostAdmission
  /** Whether a member may reach the world. */
  mayReachWorld(memberId: string): boolean
  /** Closes what a member has open to the world. */
  closeWorld(memberId: string): void
  /** Registers what a member has open. @param isWorld closed at once when the member is removed, else after it was told */
  keep(memberId: string, isWorld: boolean, close: () => void, closed: Promise<unknown>): void
}

export function createGuestControl(dependencies: {
  readonly registry: PlayerRegistry
  readonly goodbye: Goodbye
  readonly decisions: HostDecisions
  readonly addressOf: (memberId: string) => string | undefined
  readonly onChange: (admission: HostAdmission) => void
  readonly clock: Clock
  readonly log: Log
}): GuestControlWithStreams {
  const { registry, goodbye, clock, log } = dependencies
  const toWorld = createMemberStreams()
  const toRoom = createMemberStreams()
  const admission: HostAdmission = createHostAdmission({
    ...dependencies,
    onChange: () => dependencies.onChange(admission),
  })

  return {
    admission,
    approve: admission.approve,
    refuse: admission.refuse,
    setPolicy: admission.setPolicy,
    kick(id) {
      const name = registry.list().find(({ machineId }) => machineId === id)?.name
      const memberId = admission.remove(id)
      log.info('a guest was removed', { name })
      if (memberId === undefined) return
      toWorld.closeAll(memberId)
      goodbye.tellRemoved(memberId)
      clock.after(BYE_MS, () => {
        if (admission.isBanned(memberId)) toRoom.closeAll(memberId)
      })
    },
    closeWorld: toWorld.closeAll,
    mayReachWorld: (memberId) => admission.accessOf(memberId) === 'admitted',
    keep(memberId, isWorld, close, closed) {
      const streams = isWorld ? toWorld : toRoom
      streams.add(memberId, close, closed)
    },
  }
}
