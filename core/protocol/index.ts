/** What other packages may use. @see core/protocol/README.md */

export { EXTRA_PORT_LIMITS, EXTRA_PORTS_RULE, type ExtraPort, readExtraPorts } from './extraPorts'
export { MAX_ROOM_NODES, parseNode } from './nodeAddress'
export {
  asSeenBy,
  DEFAULT_NAME,
  GUEST_STATES,
  guestIdOf,
  type KnownGuest,
  MAX_NAME,
  memberIdIn,
  type Player,
  type Profile,
  toKnownGuest,
  toMemberPlayer,
} from './profiles'
export { type RoomCodeProblem, readRoomCode } from './readRoomCode'
export {
  generatePrivateRoomCode,
  generateRoomCode,
  openNetworkOf,
  type RoomCode,
  type RoomPrivacy,
} from './roomCode'
export { createHostIdentity, type HostIdentity, playerIdIn } from './scaffolding/identity'
export { runIn } from './scaffolding/playerClaim'
