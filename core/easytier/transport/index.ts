/** The ports to the machine's network, for what implements them. @see core/easytier/README.md */

export { namesNodes } from './namedNode'
export type {
  Connection,
  LanDiscovery,
  Transports,
  UdpSocket,
} from './transports'
export { createUdpTransport } from './udpTransport'
