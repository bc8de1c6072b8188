import { type FourWords, formatIpv4, parseIpv4 } from './addresses'
import { type MessageOf, routePeerInfo } from './messages'
import { toParts } from './socketAddress'

/** A peer's description of itself, which others forward. */
export type PeerRecord = {
  readonly peerId: number
  /** 0 = a placeholder, to be ignored; the highest version wins. */
  readonly version: number
  /** u64, chosen at random by each run of a peer. */
  readonly routeId: string
  /** A random number of each run; undefined when there is none. */
  readonly instanceId: FourWords | undefined
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

/**
 * A record with the bytes that it was decoded from, which are forwarded, because they may hold fields that we do not
 * know.
 */
export type ReceivedRecord = PeerRecord & { readonly raw: Uint8Array }

type FeatureFlag = NonNullable<MessageOf<typeof routePeerInfo>['featureFlag']>

/** The field of each feature in a message. */
const FEATURE_FIELDS = {
  /** A node of another network, which relays ours. */
  isSharedNode: 'isPublicServer',
  /** Relays packets of others only where there is no other path. */
  avoidsRelay: 'avoidRelayData',
  /** Accepts streams by KCP. */
  takesKcp: 'kcpInput',
  relaysNoKcp: 'noRelayKcp',
  /** Accepts rows as lists. */
  takesRowLists: 'supportConnListSync',
  needsDirect: 'needP2p',
  refusesDirect: 'disableP2p',
} as const satisfies Record<string, keyof FeatureFlag>

type FeatureName = keyof typeof FEATURE_FIELDS

export type PeerFeatures = Readonly<Record<FeatureName, boolean>>

const FEATURE_NAMES = Object.keys(FEATURE_FIELDS) as FeatureName[]

/** Longer records are refused. */
export const MAX_RECORD_SIZE = 16_384

/** @throws RangeError when the address is malformed */
export function encodePeerRecord(record: PeerRecord): Uint8Array {
  const { features, updatedAtUnixMs } = record
  return routePeerInfo.encode({
    peerId: record.peerId,
    ...(record.instanceId === undefined ? {} : { instId: toParts(record.instanceId) }),
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
    instanceId: instId && [instId.part1, instId.part2, instId.part3, instId.part4],
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

function encodeFeatures(features: PeerFeatures) {
  return Object.fromEntries(FEATURE_NAMES.map((name) => [FEATURE_FIELDS[name], features[name]]))
}

function decodeFeatures(flags?: FeatureFlag): PeerFeatures {
  const features = FEATURE_NAMES.map((name) => [name, flags?.[FEATURE_FIELDS[name]] ?? false])
  return Object.fromEntries(features) as PeerFeatures
}

export const NO_FEATURES = decodeFeatures()

function ipv4Of(address: string): number {
  const parsed = parseIpv4(address)
  if (parsed === undefined) throw new RangeError(`${address} is not an IPv4 address`)
  return parsed
}
