/** Pure codecs of what transports carry. @see core/easytier/README.md */

export { createPacketReader, frameSize, writeTcpFrame } from './framing'
export { rpcMethods } from './messages'
export { MAX_PACKET_SIZE, PACKET_HEADER_SIZE, packetTypes } from './packet'
export type { PeerRecord } from './peerRecord'
export type { Refusal } from './refusal'
export { type Endpoint, formatEndpoint, formatNodeUrl, type NodeUrl } from './socketAddress'
export { decodeStunStream, encodeStunRequest } from './stun'
