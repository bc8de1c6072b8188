/** A peer of a network. tests/architecture/faces holds the list of names. @see core/easytier/README.md */

export type { NetworkIdentity } from './crypto/networkIdentity'
export { createNodeProbe } from './dialing/nodeProbe'
export type { LimitName } from './limitLog'
export { detectNat } from './nat/detectNat'
export { isSymmetric, type NatType, natTypes } from './nat/natType'
export { Network, type NetworkOptions } from './network'
export { groupOfPeer } from './peer/peerConnection'
export type { RemotePeer } from './peer/peerOptions'
export { createRelay } from './relay/relay'
