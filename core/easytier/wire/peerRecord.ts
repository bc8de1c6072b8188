import { formatIpv4, formatUuid, parseIpv4, parseUuid } from './addresses'
import { type Encodable, type MessageOf, routePeerInfo } from './messages'

/** A peer's description of itself, which others forward. */
export type PeerRecord = {
  readonly peerId: number
  /** 0 = a placeholder, to be ignored; the highest version wins. */
  readonly version: number
  /** u64, chosen at random by each run of a peer. */
  readonly routeId: string
  /** UUID; undefined when there is none. */
  readonly instanceId: string | undefined
  readonly hostname: string
  /** IPv4 address inside the network. */
  readonly address: string | undefined
  readonly networkLength: number
  readonly udpNatType: number
  readonly tcpNatType: number
  readonly updatedAtUnixMs: number
  readonly programVersion: string
  readonly features: PeerFeatures
}

export type PeerFeatures = {
  /** A node of another network, which relays ours. */
  readonly isSharedNode: boolean
  /** Relays packets of others only where there is no other path. */
  readonly avoidsRelay: boolean
  /** Accepts streams by KCP. */
  readonly takesKcp: boolean
  readonly relaysNoKcp: boolean
  /** Accepts rows as lists. */
  readonly takesRowLists: boolean
  readonly needsDirect: boolean
  readonly refusesDirect: boolean
}

/**
 * A record with the bytes that it was decoded from, which are forwarded, because they may hold fields that we do not
 * know.
 */
export type ReceivedRecord = PeerRecord & { readonly raw: Uint8Array }

type FeatureFlag = NonNullable<MessageOf<typeof routePeerInfo>['featureFlag']>
type FeatureFlagInit = NonNullable<Encodable<typeof routePeerInfo>['featureFlag']>

/** Longer records are refused. */
export const MAX_RECORD_SIZE = 16_384

/** @throws RangeError when the address or the instance id is malformed */
export function encodePeerRecord(record: PeerRecord): Uint8Array {
  const { features, updatedAtUnixMs } = record
  return routePeerInfo.encode({
    peerId: record.peerId,
    ...(record.instanceId === undefined ? {} : { instId: uuidOf(record.instanceId) }),
    ...(record.address === undefined ? {} : { ipv4Addr: { addr: ipv4Of(record.address) } }),
    hostname: record.hostname,
    udpNatType: record.udpNatType,
    lastUpdate: {
      seconds: String(Math.floor(updatedAtUnixMs / 1000)),
      nanos: Math.floor(updatedAtUnixMs % 1000) * 1_000_000,
    },
    version: record.version,
    easytierVersion: record.programVersion,
    featureFlag: encodeFeatures(features),
    peerRouteId: record.routeId,
    networkLength: record.networkLength,
    tcpNatType: record.tcpNatType,
  })
}

/**
 * The record keeps a copy of its bytes, so that it does not keep the whole message alive.
 * @returns undefined when it is damaged or longer than 16 KiB
 */
export function decodePeerRecord(bytes: Uint8Array): ReceivedRecord | undefined {
  if (bytes.length > MAX_RECORD_SIZE) return undefined
  const raw = Uint8Array.from(bytes)
  const info = routePeerInfo.decode(raw)
  if (info === undefined) return undefined
  const { instId, ipv4Addr, lastUpdate } = info
  return {
    raw,
    peerId: info.peerId,
    version: info.version,
    routeId: info.peerRouteId,
    instanceId: instId && formatUuid([instId.part1, instId.part2, instId.part3, instId.part4]),
    hostname: info.hostname ?? '',
    address: ipv4Addr && formatIpv4(ipv4Addr.addr),
    networkLength: info.networkLength,
    udpNatType: info.udpNatType,
    tcpNatType: info.tcpNatType,
    updatedAtUnixMs: lastUpdate
      ? Number(lastUpdate.seconds) * 1000 + Math.floor(lastUpdate.nanos / 1_000_000)
      : 0,
    programVersion: info.easytierVersion,
    features: decodeFeatures(info.featureFlag),
  }
}

function encodeFeatures(features: PeerFeatures): FeatureFlagInit {
  return {
    isPublicServer: features.isSharedNode,
    avoidRelayData: features.avoidsRelay,
    kcpInput: features.takesKcp,
    noRelayKcp: features.relaysNoKcp,
    supportConnListSync: features.takesRowLists,
    needP2p: features.needsDirect,
    disableP2p: features.refusesDirect,
  }
}

function decodeFeatures(flags: FeatureFlag | undefined): PeerFeatures {
  return {
    isSharedNode: flags?.isPublicServer ?? false,
    avoidsRelay: flags?.avoidRelayData ?? false,
    takesKcp: flags?.kcpInput ?? false,
    relaysNoKcp: flags?.noRelayKcp ?? false,
    takesRowLists: flags?.supportConnListSync ?? false,
    needsDirect: flags?.needP2p ?? false,
    refusesDirect: flags?.disableP2p ?? false,
  }
}

function ipv4Of(address: string): number {
  const parsed = parseIpv4(address)
  if (parsed === undefined) throw new RangeError(`${address} is not an IPv4 address`)
  return parsed
}

function uuidOf(text: string) {
  const words = parseUuid(text)
  if (words === undefined) throw new RangeError(`${text} is not a UUID`)
  const [part1, part2, part3, part4] = words
  return { part1, part2, part3, part4 }
}
