/** The door `lantern-room/easytier` of the npm package. @see docs/easytier.md */

export type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
export { openPeer } from './compose'
export type {
  EasyTierMember,
  EasyTierNode,
  EasyTierPeer,
  EasyTierPeerOptions,
  FlowHandler,
  StreamHandler,
} from './peer'
