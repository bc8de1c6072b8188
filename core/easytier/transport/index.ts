/** What other packages may use. @see core/easytier/README.md */

export { namedNodes } from './namedNode'
export type {
  Connection,
  LanDiscovery,
  MappingRecord,
  PortMapping,
  RouterAccess,
  Transports,
  UdpSocket,
} from './transports'
export { createUdpTransport } from './udpTransport'
