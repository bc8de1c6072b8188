import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { HostCredentials } from '@lantern-room/room/ports'
import hosts from '../../fixtures/room/hostCredentials.json'

/** The key and certificate of one of two hosts. */
export function testCredentials(host: 1 | 2 = 1): HostCredentials {
  const [one, other] = hosts
  const credentials = host === 1 ? one : other
  if (!credentials) throw new Error('two hosts are written down')
  return credentials
}

/** The public key, 32 bytes. */
export function keyOfCredentials({ privateKey }: HostCredentials): Uint8Array {
  const publicKey = createPublicKey(createPrivateKey(privateKey))
  return new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })).slice(-32)
}
