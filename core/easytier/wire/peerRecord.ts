import { formatIpv4, formatUuid, parseIpv4, parseUuid } from './addresses'
import { routePeerInfo } from './messages'

/** What each peer tells about itself, and others pass on. */
export type PeerRecord = {
  readonly peerId: number
  /** 0 = a placeholder, to be ignored; the highest one counts. */
  readonly version: number
  /** u64, drawn anew by each run of a peer. */
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
  /** A node of another network that carries ours. */
  readonly isSharedNode: boolean
  /** Packets for others go through it only where there is no other way. */
  readonly avoidsRelay: boolean
  /** Streams to it are opened by KCP, not by raw TCP packets. */
  readonly takesKcp: boolean
  readonly relaysNoKcp: boolean
  /** Rows may come to it as lists. */
  readonly takesRowLists: boolean
  readonly needsDirect: boolean
  readonly refusesDirect: boolean
}

/** A record with the bytes that it came in: those are passed on, because they may hold more than we understand. */
export type ReceivedRecord = PeerRecord & { readonly raw: Uint8Array }

/** Longer ones are refused. */
export const MAX_RECORD_SIZE = 16_384

/** @throws RangeError when the address or the instance id is none */
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
    featureFlag: {
      isPublicServer: features.isSharedNode,
      avoidRelayData: features.avoidsRelay,
      kcpInput: features.takesKcp,
      noRelayKcp: features.relaysNoKcp,
      supportConnListSync: features.takesRowLists,
      needP2p: features.needsDirect,
      disableP2p: features.refusesDirect,
    },
    peerRouteId: record.routeId,
    networkLength: record.networkLength,
    tcpNatType: record.tcpNatType,
  })
}

/**
 * The record keeps a copy of its bytes, so that it does not keep the message alive that brought it.
 * @returns undefined when it is damaged or longer than 16 KiB
 */
export function decodePeerRecord(bytes: Uint8Array): ReceivedRecord | undefined {
  if (bytes.length > MAX_RECORD_SIZE) return undefined
  const raw = Uint8Array.from(bytes)
  const info = routePeerInfo.decode(raw)
  if (info === undefined) return undefined
  const { instId, ipv4Addr, lastUpdate, featureFlag } = info
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
    features: {
      isSharedNode: featureFlag?.isPublicServer ?? false,
      avoidsRelay: featureFlag?.avoidRelayData ?? false,
      takesKcp: featureFlag?.kcpInput ?? false,
      relaysNoKcp: featureFlag?.noRelayKcp ?? false,
      takesRowLists: featureFlag?.supportConnListSync ?? false,
      needsDirect: featureFlag?.needP2p ?? false,
      refusesDirect: featureFlag?.disableP2p ?? false,
    },
  }
}

function ipv4Of(address: string): number {
  const parsed = parseIpv4(address)
  if (parsed === undefined) throw new RangeError(`${address} is no IPv4 address`)
  return parsed
}

function uuidOf(text: string) {
  const words = parseUuid(text)
  if (words === undefined) throw new RangeError(`${text} is no UUID`)
  const [part1, part2, part3, part4] = words
  return { part1, part2, part3, part4 }
}
