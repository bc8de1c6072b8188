/** What addresses stand for, which of them are connected to, and the ports of the program itself. @see core/base/README.md */

export {
  isInSubnet,
  isLinkLocalIpv6,
  isLoopbackAddress,
  isPublicAddress,
  isPublicIpv4,
  isReachableAddress,
  isSiteAddress,
  networkOfAddress,
} from './addressRanges'
export {
  isOutgoing,
  isThisMachine,
  LOWEST_PORT,
  type Origin,
  OUTGOING_HEADERS,
  OutboundRefusal,
  type OutboundScheme,
  type OwnMachine,
  refusalOf,
} from './outbound'
export { OwnPorts, type PortTransport, type PortUse, SERVER_NAME } from './ownPorts'
