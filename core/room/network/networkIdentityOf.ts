import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { RoomCode } from '../roomCode'
import type { RoomNetworkOptions } from './memberNetwork'
import { privateIdentity } from './privateIdentity'

/**
 * Name and secret of the network that a code stands for: of an open room its two halves, of a private one what is derived
 * from the stretched code.
 */
export async function networkIdentityOf(
  room: RoomCode,
  options: Pick<RoomNetworkOptions, 'privateIdentity'>,
): Promise<NetworkIdentity> {
  if (room.privacy === 'open') return { name: room.networkName, secret: room.networkSecret }
  return (options.privateIdentity ?? privateIdentity)(room.text)
}
