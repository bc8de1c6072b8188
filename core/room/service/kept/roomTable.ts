import { createHmac } from 'node:crypto'
import { parseJson } from '@lantern-room/base/bytes'
import { setNewest } from '@lantern-room/base/limits'
import type { RoomCode } from '@lantern-room/protocol'
import { z } from 'zod'
import type { TextStore } from '../../ports'
import type { KeepingDependencies } from './roomKeeper'

/** What is kept of many rooms, the newest last. */
export type RoomTable<T> = {
  /** Waits for what is being written. */
  get(room: RoomCode): Promise<T | undefined>
  /** In place of the one before. Never rejects: what cannot be kept is logged. */
  set(room: RoomCode, value: T): Promise<void>
}

const MAX_ROOMS = 256

/**
 * One value for each room, kept for later runs of the program; of very many rooms the newest.
 * @param options.store holds JSON: values by HMAC-SHA-256 of the room code
 * @param options.secret of this machine: the file tells no room code to who reads it alone
 * @param options.name of what is kept, a part of what is hashed
 * @param options.value refuses what cannot be such a value: then the file counts as empty
 */
export function createRoomTable<T>(
  options: Omit<KeepingDependencies, 'clock'> & {
    readonly secret: Uint8Array
    readonly name: string
    readonly value: z.ZodType<T>
  },
): RoomTable<T> {
  const { store, secret, name, value, log } = options
  const stored = z.record(z.string(), value)
  /** One after the other, each on what the one before has written. */
  let writing: Promise<void> = Promise.resolve()

  return {
    async get(room) {
      await writing
      return (await read(store, stored)).get(keyOf(room))
    },
    set(room, next) {
      writing = writing
        .then(() => write(keyOf(room), next))
        .catch((cause: unknown) => log.warn(`the ${name} of a room cannot be kept`, { cause: String(cause) }))
      return writing
    },
  }

  async function write(key: string, next: T): Promise<void> {
    const values = await read(store, stored)
    if (values.get(key) === next) return
    setNewest(values, key, next, MAX_ROOMS)
    await store.write(`${JSON.stringify(Object.fromEntries(values))}\n`)
  }

  function keyOf(room: RoomCode): string {
    return createHmac('sha256', secret).update(`lantern ${name} ${room.text}`).digest('hex')
  }
}

/** Empty when there is none, or it is damaged. */
async function read<T>(store: TextStore, stored: z.ZodType<Record<string, T>>): Promise<Map<string, T>> {
  const text = await store.read().catch(() => undefined)
  const { data } = stored.safeParse(text === undefined ? {} : parseJson(text))
  return new Map(Object.entries(data ?? {}))
}
