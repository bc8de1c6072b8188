import { hkdfSync, scrypt } from 'node:crypto'
import { toHex } from '@lantern-room/base/bytes'
import type { NetworkIdentity } from '@lantern-room/easytier'
import { openNetworkOf, type RoomCode } from '@lantern-room/protocol'
import type { RoomNetworkOptions } from './memberNetwork'

/**
 * Name and secret of the network that a code stands for: of an open room its two halves, of a private one what is derived
 * from the stretched code.
 */
export async function networkIdentityOf(
  room: RoomCode,
  options: Pick<RoomNetworkOptions, 'privateIdentity'>,
): Promise<NetworkIdentity> {
  if (room.privacy === 'open') return openNetworkOf(room)
  return (options.privateIdentity ?? privateIdentity)(room.text)
}

/** 32 MiB and about 0.1 s for each guess at a code. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 }
const SALT = 'lantern-room private room, version 1'
const DRAWN_SALT = 'lantern-room changed secret, version 1'

/**
 * Name and secret of a private room, 256 bits each, from the whole canonical code. Neither shows anything of the code,
 * so an attacker who sees the name or the digest has to guess all of the code through scrypt.
 * @param code `L/SSSS-SSSS-SSSS-SSSS`
 */
export async function privateIdentity(code: string): Promise<NetworkIdentity> {
  return expand(await stretch(code), SALT)
}

/**
 * Name and secret of the network to which a host has moved its private room: from the secret that it has drawn, and so from
 * nothing that the code tells.
 * @param secret 32 random bytes
 */
export function drawnIdentity(secret: Uint8Array): NetworkIdentity {
  return expand(secret, DRAWN_SALT)
}

function expand(key: Uint8Array, salt: string): NetworkIdentity {
  const part = (what: string) =>
    `private-${what}-${toHex(new Uint8Array(hkdfSync('sha256', key, salt, `network ${what}`, 32)))}`
  return { name: part('name'), secret: part('secret') }
}

function stretch(code: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) =>
    scrypt(code, SALT, 32, COST, (error, key) => (error ? reject(error) : resolve(key))),
  )
}

/**
 * The names that rooms give their networks: open ones by the code's first half, private ones a hash of it all. The last one
 * is that of our own probe of a node.
 */
const ROOM_NETWORK = /^(scaffolding-mc-[0-9A-Z]{4}-[0-9A-Z]{4}|private-name-[0-9a-f]{64}|probe-[0-9a-f]{24})$/

/**
 * Whether this may be the network of a room, or of our own probe.
 * @example isRoomNetwork('scaffolding-mc-ABCD-EFGH') // true
 */
export function isRoomNetwork(name: string): boolean {
  return ROOM_NETWORK.test(name)
}
