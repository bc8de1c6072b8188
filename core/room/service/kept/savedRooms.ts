import { createHmac } from 'node:crypto'
import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { readRoomCode } from '@lantern-room/protocol'
import { z } from 'zod'
import type { RoomView } from '../state/roomView'
import type { KeepingDependencies, KeptRoom } from './roomKeeper'

/** A room that was open, or was joined, in this run of the program or an earlier one. */
export type SavedRoom = z.infer<typeof saved> & {
  /** Tells nothing of the code to those who read it in a log. */
  readonly id: string
}

export type SavedRooms = ReturnType<typeof createSavedRooms>

const MAX_ROOMS = 8

const UNWRITABLE =
  'The list of rooms cannot be written: make room on the disk, or give this user the right to write in the data folder.'

const saved = z.object({
  role: z.enum(['host', 'guest']),
  roomCode: z.string().refine((text) => readRoomCode(text).code?.text === text),
  /** The world's name at a host, the host's name at a guest. */
  name: z.string().nullable(),
  /** When it was last known to be open, as Unix time in milliseconds. */
  at: z.int().min(0).max(8.64e15),
  /** The request that has opened or joined it. */
  order: z.record(z.string(), z.unknown()),
})

type SavedRoomsDependencies = KeepingDependencies & { readonly secret: Uint8Array }

/**
 * The rooms to go back to, whose orders allowed to keep them.
 * @param store holds a JSON array, the newest first; it has the room codes
 * @param secret of this machine
 */
export function createSavedRooms({ store, secret, clock, log }: SavedRoomsDependencies) {
  /** One after the other, each on what the one before has written. */
  let writing: Promise<void> = Promise.resolve()
  /** What is written of the running role. */
  let noted: { readonly kept?: KeptRoom; readonly name?: string | null } = {}
  /** The list before rooms were forgotten from it, as long as none is noted. */
  let before: readonly SavedRoom[] = []

  return {
    /** The newest first, and how many records are damaged, which are left out. */
    list: () => writing.then(read),
    /** Notes the running role as it is now, once its room is open and if its order is kept. */
    note(
      kept: KeptRoom | undefined,
      { stage, room, worldName, players }: Pick<RoomView, 'stage' | 'room' | 'worldName' | 'players'>,
    ): void {
      if (!kept || room === null || !stage.endsWith('_Running')) return
      const host = players.find(({ kind }) => kind === 'HOST')?.name ?? null
      const name = kept.role === 'host' ? worldName : host
      if (noted.kept === kept && noted.name === name) return
      noted = { kept, name }
      before = []
      const one = { role: kept.role, roomCode: room, name, at: clock.unixTime(), order: kept.order }
      change((rooms) => [one, ...rooms.filter(({ id }) => id !== idOf(one))]).catch(() => undefined)
    },
    /** @returns whether it was there. @throws ServiceError `unavailable` when that cannot be kept */
    async forget(id: string): Promise<boolean> {
      const { rooms } = await writing.then(read)
      if (!rooms.some((room) => room.id === id)) return false
      await change((all) => all.filter((room) => room.id !== id))
      if (!before.some((room) => room.id === id)) before = rooms
      return true
    },
    /** Puts a forgotten room back to its place, as long as no room was noted since. @returns whether it is there again. @throws as `forget` does */
    async restore(id: string): Promise<boolean> {
      if (!before.some((room) => room.id === id)) return false
      await change((all) => {
        const there = new Map(all.map((room) => [room.id, room]))
        const others = all.filter((room) => !before.some((one) => one.id === room.id))
        return [...others, ...before.flatMap((room) => there.get(room.id) ?? (room.id === id ? room : []))]
      })
      return true
    },
  }

  /** @throws ServiceError `unavailable` */
  function change(next: (rooms: readonly SavedRoom[]) => readonly z.infer<typeof saved>[]): Promise<void> {
    const changed = writing
      .then(async () => {
        const rooms = next((await read()).rooms).slice(0, MAX_ROOMS)
        await store.write(`${JSON.stringify(rooms.map((room) => saved.parse(room)))}\n`)
      })
      .catch((cause: unknown) => {
        log.warn('the list of rooms cannot be kept', { cause: String(cause) })
        throw new ServiceError('unavailable', UNWRITABLE, { cause })
      })
    writing = changed.catch(() => undefined)
    return changed
  }

  async function read(): Promise<{ readonly rooms: readonly SavedRoom[]; readonly damaged: number }> {
    const list = await store.read().then(
      (text) => (text === undefined ? [] : parseJson(text)),
      () => undefined,
    )
    if (!Array.isArray(list)) return { rooms: [], damaged: 1 }
    const records = list.flatMap((one) => saved.safeParse(one).data ?? [])
    const rooms = records.map((record) => ({ ...record, id: idOf(record) }))
    return { rooms, damaged: list.length - rooms.length }
  }

  function idOf({ role, roomCode }: Pick<SavedRoom, 'role' | 'roomCode'>): string {
    return createHmac('sha256', secret).update(`lantern saved room ${role} ${roomCode}`).digest('hex')
  }
}
