import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { parseJson } from '@lantern-room/base/bytes'
import { keptDecisions } from '@lantern-room/protocol/server'
import { z } from 'zod'
import type { TextStore } from '../../ports'

/** A room that is opened or joined again after a restart, because its order said so. */
export type KeptRoom = z.infer<typeof keptRoom>

export type RoomKeeper = ReturnType<typeof createRoomKeeper>

/** A room that is older is not resumed: after an hour its players have given it up. */
const MAX_AGE_MS = 3_600_000
const SIGN_OF_LIFE_MS = 60_000

const keptRoom = z.object({
  role: z.enum(['host', 'guest']),
  /** The client's order to `/room/host/start` or `/room/guest/start`, with the code of the room. */
  order: z.record(z.string(), z.unknown()),
  /** The world that a host shared last. */
  world: z.object({ port: z.int().min(1).max(65_535), name: z.string().optional() }).optional(),
  decisions: keptDecisions.optional(),
  /** The key that a guest's host has proved, in hexadecimal digits. */
  hostKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})
/** @see placeOf */
const stored = keptRoom.extend({ at: z.number(), place: z.string().optional() })

/** What is needed to keep something for the next start of the program. */
export type KeepingDependencies = {
  readonly store: TextStore
  readonly clock: Clock
  readonly log: Log
}

/** Keeps the room of the running role for the next start of the program. */
export function createRoomKeeper({
  store,
  clock,
  log,
  place,
}: KeepingDependencies & {
  /** Of the data folder: a copy goes back to no room by itself, that would host it a second time with the same key. */
  readonly place?: string | undefined
}) {
  let kept: KeptRoom | undefined
  let cancelSign = () => {}
  let writing = Promise.resolve()

  return {
    /** The room that an earlier run has left; undefined when there is none, or its last sign of life is an hour old. */
    async left(): Promise<KeptRoom | undefined> {
      const text = await store.read().catch(() => undefined)
      const found = stored.safeParse(parseJson(text ?? ''))
      if (!found.success) return undefined
      const { at, place: from = place, ...room } = found.data
      const age = clock.unixTime() - at
      if (age < 0 || age >= MAX_AGE_MS) return undefined
      return from === place ? room : { ...room, order: { ...room.order, resume: 'ask' } }
    },
    /** A role begins. @param room undefined when it is not to be kept, which forgets the one before */
    begin(room: KeptRoom | undefined): void {
      kept = room
      if (room) save()
      else forget()
    },
    /** The order of the running role, if it is kept: another object after each change. */
    current: (): KeptRoom | undefined => kept,
    /** Whether the running role comes back by itself. */
    isKeeping: (): boolean => kept !== undefined && kept.order.resume !== 'ask',
    /** Changes the order of the kept room, or what was learned in it; without effect when none is kept. */
    update({ order, world, decisions, hostKey }: Partial<Omit<KeptRoom, 'role'>>): void {
      if (!kept) return
      kept = {
        ...kept,
        order: { ...kept.order, ...order },
        world: world ?? kept.world,
        decisions: decisions ?? kept.decisions,
        hostKey: hostKey ?? kept.hostKey,
      }
      save()
    },
    forget,
    /** Resolves when everything until now is written, or could not be. */
    written: (): Promise<void> => writing,
    /** The program ends: nothing is written any more. Resolves when all is written. */
    async close(): Promise<void> {
      cancelSign()
      kept = undefined
      await writing
    },
  }

  function save(): void {
    cancelSign()
    if (!kept) return
    const text = JSON.stringify({ ...kept, at: clock.unixTime(), place })
    cancelSign = clock.after(SIGN_OF_LIFE_MS, save)
    enqueue(() => store.write(text))
  }

  function forget(): void {
    cancelSign()
    kept = undefined
    enqueue(store.remove)
  }

  function enqueue(work: () => Promise<void>): void {
    writing = writing.then(work).catch((error: unknown) => {
      log.warn('the room cannot be kept for a restart', { cause: String(error) })
    })
  }
}
