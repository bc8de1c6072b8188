import { hkdfSync, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { NetworkIdentity } from '@lantern-room/easytier'

// The networks of private rooms, derived apart from the program that is tested.

const stretch = promisify<
  string,
  string,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt)

/** The network that a private room has at first: 32 MiB and a tenth of a second for one. */
export async function privateNetworkOf(code: string): Promise<NetworkIdentity> {
  const salt = 'lantern-room private room, version 1'
  return expanded(await stretch(code, salt, 32, { N: 32_768, r: 8, p: 1, maxmem: 67_108_864 }), salt)
}

/** The network to which a host moves its private room. @param secret 32 bytes that it has drawn */
export function drawnNetworkOf(secret: Uint8Array): NetworkIdentity {
  return expanded(secret, 'lantern-room changed secret, version 1')
}

function expanded(key: Uint8Array, salt: string): NetworkIdentity {
  const part = (what: string) =>
    `private-${what}-${Buffer.from(hkdfSync('sha256', key, salt, `network ${what}`, 32)).toString('hex')}`
  return { name: part('name'), secret: part('secret') }
}
