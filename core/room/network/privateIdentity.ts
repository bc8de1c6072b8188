import { hkdfSync, scrypt } from 'node:crypto'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'

/** 32 MiB and about 0.1 s for each guess at a code. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 }
const SALT = 'lantern-room private room, version 1'

/**
 * Name and secret of a private room, 256 bits each, from the whole canonical code. Neither shows anything of the code,
 * so an attacker who sees the name or the digest has to guess all of the code through scrypt.
 * @param code `L/SSSS-SSSS-SSSS-SSSS`
 */
export async function privateIdentity(code: string): Promise<NetworkIdentity> {
  const stretched = await stretch(code)
  const part = (what: string) =>
    `private-${what}-${hex(new Uint8Array(hkdfSync('sha256', stretched, SALT, `network ${what}`, 32)))}`
  return { name: part('name'), secret: part('secret') }
}

function stretch(code: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) =>
    scrypt(code, SALT, 32, COST, (error, key) => (error ? reject(error) : resolve(key))),
  )
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
