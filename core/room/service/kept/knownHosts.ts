import { createHmac } from 'node:crypto'
import { fromHex, parseJson, setNewest, toHex } from '@lantern-room/base'
import { z } from 'zod'
import type { RoomCode } from '../../roomCode'
import type { KeepingDependencies, TextStore } from './roomKeeper'

export type KnownHosts = ReturnType<typeof createKnownHosts>

const MAX_HOSTS = 256

const stored = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/))

type KnownHostsDependencies = Omit<KeepingDependencies, 'clock'> & { readonly secret: Uint8Array }

/**
 * The keys that hosts of private rooms have proved to this machine, so that a later join accepts no other host.
 * @see docs/decisions.md, D121
 * @param store holds JSON: hexadecimal keys by HMAC-SHA-256 of the room code, the newest last
 * @param secret of this machine: the file tells no room code to who reads it alone
 */
export function createKnownHosts({ store, secret, log }: KnownHostsDependencies) {
  /** One after the other, each on what the one before has written. */
  let writing: Promise<void> = Promise.resolve()

  return {
    /** Ed25519, 32 bytes; undefined for an open room, and for one that was not joined before. */
    async keyOf(room: RoomCode): Promise<Uint8Array | undefined> {
      if (room.privacy === 'open') return undefined
      await writing
      const hex = (await readHosts(store)).get(nameOf(room))
      return hex === undefined ? undefined : fromHex(hex)
    },
    /** Notes the key in place of the one before; without effect for an open room. Never rejects. */
    remember(room: RoomCode, key: Uint8Array): Promise<void> {
      if (room.privacy === 'open') return Promise.resolve()
      writing = writing
        .then(() => write(nameOf(room), toHex(key)))
        .catch((cause: unknown) => log.warn('the key of a host cannot be kept', { cause: String(cause) }))
      return writing
    },
  }

  async function write(name: string, hex: string): Promise<void> {
    const hosts = await readHosts(store)
    if (hosts.get(name) === hex) return
    setNewest(hosts, name, hex, MAX_HOSTS)
    await store.write(`${JSON.stringify(Object.fromEntries(hosts))}\n`)
  }

  function nameOf(room: RoomCode): string {
    return createHmac('sha256', secret).update(`lantern known host ${room.text}`).digest('hex')
  }
}

/** Empty when there is none, or it is damaged. */
async function readHosts(store: TextStore): Promise<Map<string, string>> {
  const text = await store.read().catch(() => undefined)
  const { data } = stored.safeParse(text === undefined ? {} : parseJson(text))
  return new Map(Object.entries(data ?? {}))
}
