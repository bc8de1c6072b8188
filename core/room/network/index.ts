/** What other packages may use. @see core/room/README.md */

export type { Member, MemberLink, NetworkEvent, NetworkStatus, Path } from '../networkStatus'
export type {
  ExposedPorts,
  GuestConnection,
  HostConnection,
  HostOptions,
  Incoming,
  JoinOptions,
  JoinStep,
  NetworkConnection,
  RoomNetwork,
} from '../roomNetwork'
export { reportNat } from './members/natReport'
export { isRoomNetwork } from './members/networkIdentity'
export { findOutage, outageFailure } from './members/outage'
export { createRoomNetwork, notePorts } from './roomNetwork'
