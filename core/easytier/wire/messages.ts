import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import * as schemas from './easytier_pb'

/** Every message of a network as a codec. 64-bit integers are decimal strings; absent numbers are 0. */

export type MessageCodec<Desc extends DescMessage> = {
  encode(value: MessageInitShape<Desc>): Uint8Array
  /**
   * Fields of type bytes are views of `bytes`; unknown fields are kept and written again.
   * @returns undefined when the bytes are not such a message
   */
  decode(bytes: Uint8Array): MessageShape<Desc> | undefined
}

/** The input of `encode` and the result of `decode`. */
export type Encodable<Codec> = Codec extends MessageCodec<infer Desc> ? MessageInitShape<Desc> : never
export type MessageOf<Codec> = Codec extends MessageCodec<infer Desc> ? MessageShape<Desc> : never

export const handshakeRequest = codecOf(schemas.HandshakeRequestSchema)
export const HANDSHAKE_MAGIC = 0xd1e1a5e1
export const HANDSHAKE_VERSION = 1

export const kcpConnData = codecOf(schemas.KcpConnDataSchema)
export const rpcPacket = codecOf(schemas.RpcPacketSchema)
export const rpcRequest = codecOf(schemas.RpcRequestSchema)
export const rpcResponse = codecOf(schemas.RpcResponseSchema)
export const routePeerInfo = codecOf(schemas.RoutePeerInfoSchema)

const empty = codecOf(schemas.EmptySchema)

/** The remote calls that a peer makes or answers, by service and by method number (from 1). */
export const rpcMethods = {
  syncRouteInfo: {
    service: 'OspfRouteRpc',
    method: 1,
    request: codecOf(schemas.SyncRouteInfoRequestSchema),
    response: codecOf(schemas.SyncRouteInfoResponseSchema),
  },
  getIpList: {
    service: 'DirectConnectorRpc',
    method: 1,
    request: empty,
    response: codecOf(schemas.GetIpListResponseSchema),
  },
  sendUdpHolePunchPacket: {
    service: 'DirectConnectorRpc',
    method: 2,
    request: codecOf(schemas.SendUdpHolePunchPacketRequestSchema),
    response: empty,
  },
  selectPunchListener: {
    service: 'UdpHolePunchRpc',
    method: 1,
    request: codecOf(schemas.SelectPunchListenerRequestSchema),
    response: codecOf(schemas.SelectPunchListenerResponseSchema),
  },
  sendPunchPacketCone: {
    service: 'UdpHolePunchRpc',
    method: 2,
    request: codecOf(schemas.SendPunchPacketConeRequestSchema),
    response: empty,
  },
  sendPunchPacketHardSym: {
    service: 'UdpHolePunchRpc',
    method: 3,
    request: codecOf(schemas.SendPunchPacketHardSymRequestSchema),
    response: codecOf(schemas.SendPunchPacketHardSymResponseSchema),
  },
  sendPunchPacketEasySym: {
    service: 'UdpHolePunchRpc',
    method: 4,
    request: codecOf(schemas.SendPunchPacketEasySymRequestSchema),
    response: empty,
  },
  sendPunchPacketBothEasySym: {
    service: 'UdpHolePunchRpc',
    method: 5,
    request: codecOf(schemas.SendPunchPacketBothEasySymRequestSchema),
    response: codecOf(schemas.SendPunchPacketBothEasySymResponseSchema),
  },
  exchangeMappedAddr: {
    service: 'TcpHolePunchRpc',
    method: 1,
    request: codecOf(schemas.ExchangeMappedAddrRequestSchema),
    response: codecOf(schemas.ExchangeMappedAddrResponseSchema),
  },
  reportPeers: {
    service: 'PeerCenterRpc',
    method: 1,
    request: codecOf(schemas.ReportPeersRequestSchema),
    response: empty,
  },
  getGlobalPeerMap: {
    service: 'PeerCenterRpc',
    method: 2,
    request: codecOf(schemas.GetGlobalPeerMapRequestSchema),
    response: codecOf(schemas.GetGlobalPeerMapResponseSchema),
  },
} as const

export type RpcMethods = typeof rpcMethods
export type RpcMethodName = keyof RpcMethods
/** What a method takes and answers, as decoded. */
export type RequestOf<Method extends RpcMethodName> = MessageOf<RpcMethods[Method]['request']>
export type ResponseOf<Method extends RpcMethodName> = MessageOf<RpcMethods[Method]['response']>

type Codec<Init, Message> = {
  encode(value: Init): Uint8Array
  decode(bytes: Uint8Array): Message | undefined
}

/** The codecs of one method, for code that is the same for several. */
export function codecsOf<Method extends RpcMethodName>(method: Method) {
  return rpcMethods[method] as {
    readonly request: Codec<Encodable<RpcMethods[Method]['request']>, RequestOf<Method>>
    readonly response: Codec<Encodable<RpcMethods[Method]['response']>, ResponseOf<Method>>
  }
}

/** The method of a descriptor; undefined for an unknown one. */
export function rpcMethodNamed(service: string, method: number): RpcMethodName | undefined {
  return methodNames.get(`${service}.${method}`)
}

/**
 * Whether any method of this service is known: an unknown service is refused with another message than an unknown
 * method.
 */
export function isKnownService(service: string): boolean {
  return services.has(service)
}

const names = Object.keys(rpcMethods) as RpcMethodName[]
const methodNames: ReadonlyMap<string, RpcMethodName> = new Map(
  names.map((name) => [`${rpcMethods[name].service}.${rpcMethods[name].method}`, name]),
)
const services = new Set<string>(Object.values(rpcMethods).map(({ service }) => service))

function codecOf<Desc extends DescMessage>(schema: Desc): MessageCodec<Desc> {
  return {
    encode: (value) => toBinary(schema, create(schema, value)),
    decode(bytes) {
      try {
        return fromBinary(schema, bytes)
      } catch {
        // The runtime throws for every kind of damage: truncated fields, impossible tags, strings that are not UTF-8,
        // nesting.
        return undefined
      }
    },
  }
}
