import { type Clock, createAlarm, untilAborted, within } from '@lantern-room/base/async'
import { addNewest } from '@lantern-room/base/limits'
import type { PlayerRegistry } from './players/registry'
import type { Commands } from './serverCommands'
import { failed, ok, type RoomCaller, STATUS } from './wire/commands'
import type { ResponseFrame } from './wire/frames'

/**
 * A command of this program, which `c:protocols` does not list. With a machine id as its body a guest says that it leaves.
 * With an empty one it asks to be told when the host closes the room: status 0 then, 32 while the room stays open, 33 when the
 * host removes the guest. In the room protocol only guests ask, and answers come in order: this one is held meanwhile, so a guest
 * asks by a connection of its own.
 */
export const BYE_COMMAND = 'lantern:bye'

/** The longest time by which a goodbye delays the stop of either side. */
export const BYE_MS = 500

/** A connection that is silent for 64 s is closed. */
const HOLD_MS = 55_000

/** Far more than there are members at once; a restarted one is another. */
const MAX_ASKED = 512

export type Goodbye = ReturnType<typeof createGoodbye>

/**
 * The host's side of `lantern:bye`, and the host's own farewell.
 * @example
 * const goodbye = createGoodbye({ registry, isRemoved, clock })
 * await goodbye.tellGuests() // before the room closes
 */
export function createGoodbye(dependencies: {
  readonly registry: PlayerRegistry
  readonly isRemoved: (memberId: string) => boolean
  /** The id under which the host keeps what a member calls so. @default the same */
  readonly idOf?: (machineId: string, memberId: string) => string
  readonly clock: Clock
}) {
  const { registry, isRemoved, idOf = (machineId) => machineId, clock } = dependencies
  /** Guests that wait to be told, and what ends their waiting. */
  const waiting = new Map<RoomCaller, () => void>()
  /** Members that have asked, and some that have left since. */
  const asked = new Set<string>()
  let isClosing = false

  const commands: Commands = {
    [BYE_COMMAND]: (body, caller) => (body.length > 0 ? leave(body, caller) : waitForClose(caller)),
  }

  return {
    commands,
    /** Whether a member has asked to be told: its program then says goodbye as well when it leaves. */
    isKnownTo: (memberId: string): boolean => asked.has(memberId),
    /** Tells the guests that the room closes; resolves when they have closed their connections, or after 0.5 s. */
    async tellGuests(): Promise<void> {
      isClosing = true
      const told = [...waiting]
      for (const [, wake] of told) wake()
      const closed = Promise.all(told.map(([{ signal }]) => untilAborted(signal)))
      if (told.length > 0) await within(clock, BYE_MS, closed, () => undefined).catch(() => undefined)
    },
    /** Tells a member at once that the host has removed it. */
    tellRemoved(memberId: string): void {
      for (const [caller, wake] of waiting) {
        if (caller.memberId === memberId) wake()
      }
    },
  }

  /** Only for players that were registered by the same member: a guest cannot show out another one. */
  function leave(body: Uint8Array, { memberId }: RoomCaller): ResponseFrame {
    const machineId = idOf(new TextDecoder().decode(body), memberId)
    const hasLeft = registry.leave(machineId, memberId)
    return hasLeft ? ok() : failed('This member has not registered that player.')
  }

  async function waitForClose(caller: RoomCaller): Promise<ResponseFrame> {
    const alarm = createAlarm(clock)
    waiting.set(caller, alarm.wake)
    addNewest(asked, caller.memberId, MAX_ASKED)
    try {
      if (!isClosing && !isRemoved(caller.memberId)) await alarm.wait(HOLD_MS, caller.signal)
    } finally {
      waiting.delete(caller)
    }
    if (isRemoved(caller.memberId)) return { status: STATUS.removed, data: new Uint8Array(0) }
    return isClosing ? ok() : { status: STATUS.stillOpen, data: new Uint8Array(0) }
  }
}
