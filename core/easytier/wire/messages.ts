import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import * as pb from './easytier_pb'

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

export const handshakeRequest = codecOf(pb.HandshakeRequestSchema)
export const HANDSHAKE_MAGIC = 0xd1e1a5e1
export const HANDSHAKE_VERSION = 1

export const kcpConnData = codecOf(pb.KcpConnDataSchema)
export const rpcPacket = codecOf(pb.RpcPacketSchema)
export const rpcRequest = codecOf(pb.RpcRequestSchema)
export const rpcResponse = codecOf(pb.RpcResponseSchema)
export const routePeerInfo = codecOf(pb.RoutePeerInfoSchema)

/** The remote calls that a peer makes or answers, by service and by method number (from 1). */
export const rpcMethods = {
  syncRouteInfo: method('OspfRouteRpc', 1, pb.SyncRouteInfoRequestSchema, pb.SyncRouteInfoResponseSchema),
  getIpList: method('DirectConnectorRpc', 1, pb.EmptySchema, pb.GetIpListResponseSchema),
  sendUdpHolePunchPacket: method('DirectConnectorRpc', 2, pb.SendUdpHolePunchPacketRequestSchema),
  selectPunchListener: method(
    'UdpHolePunchRpc',
    1,
    pb.SelectPunchListenerRequestSchema,
    pb.SelectPunchListenerResponseSchema,
  ),
  sendPunchPacketCone: method('UdpHolePunchRpc', 2, pb.SendPunchPacketConeRequestSchema),
  sendPunchPacketHardSym: method(
    'UdpHolePunchRpc',
    3,
    pb.SendPunchPacketHardSymRequestSchema,
    pb.SendPunchPacketHardSymResponseSchema,
  ),
  sendPunchPacketEasySym: method('UdpHolePunchRpc', 4, pb.SendPunchPacketEasySymRequestSchema),
  sendPunchPacketBothEasySym: method(
    'UdpHolePunchRpc',
    5,
    pb.SendPunchPacketBothEasySymRequestSchema,
    pb.SendPunchPacketBothEasySymResponseSchema,
  ),
  exchangeMappedAddr: method(
    'TcpHolePunchRpc',
    1,
    pb.ExchangeMappedAddrRequestSchema,
    pb.ExchangeMappedAddrResponseSchema,
  ),
  reportPeers: method('PeerCenterRpc', 1, pb.ReportPeersRequestSchema),
  getGlobalPeerMap: method(
    'PeerCenterRpc',
    2,
    pb.GetGlobalPeerMapRequestSchema,
    pb.GetGlobalPeerMapResponseSchema,
  ),
}

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

/** By default it answers nothing. */
function method<Request extends DescMessage, Response extends DescMessage = typeof pb.EmptySchema>(
  service: string,
  number: number,
  request: Request,
  response?: Response,
) {
  const answer = (response ?? pb.EmptySchema) as Response
  return { service, method: number, request: codecOf(request), response: codecOf(answer) }
}

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
