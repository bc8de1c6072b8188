import { createPacketReader } from '@lantern-room/easytier/wire'
import { isStun } from '#internal/easytier/wire/stun'
import { type Datagram, decodeDatagram } from '#internal/easytier/wire/udpFrame'
import { type NetworkVector, readVectors, unhex } from '#support/network/easytierVectors'
import { createMeaningReader, type Meaning } from './packetMeaning'

export type RecordedSession = ReturnType<typeof readSession>

export type FixedIds = {
  readonly peer_id: number
  readonly peer_route_id: string
  readonly inst_id: { readonly $uuid: string }
  readonly hostname: string
  readonly first_transaction_id: string
  readonly sync_session_ids: readonly string[]
  readonly kcp_conv?: number
}

export type RecordedEvent = {
  readonly at: number
  readonly isNative: boolean
  readonly link: string
  readonly what:
    | { readonly kind: 'packet'; readonly bytes: Uint8Array; readonly meaning: Meaning | undefined }
    | { readonly kind: 'datagram'; readonly bytes: Uint8Array; readonly datagram: Datagram | 'stun' }
    | { readonly kind: 'closed' }
}

export type ListedPeer = {
  readonly id: number
  readonly hostname: string
  readonly ipv4: string | null
  readonly path: string
  readonly shared: boolean
}

type Raw = {
  readonly network: NetworkVector
  readonly native_role: 'host' | 'guest'
  readonly tcp_port_of_the_service: number
  readonly fixed: FixedIds
  readonly links: readonly {
    readonly link: string
    readonly carrier: 'tcp' | 'udp'
    readonly far_end: { readonly peer_id: number }
  }[]
  readonly events: readonly {
    readonly t_ms: number
    readonly direction: string
    readonly link: string
    readonly bytes?: string
  }[]
  readonly result: { readonly native_peers: readonly ListedPeer[] }
}

/**
 * A whole transcript of the real program and a native peer: tests/fixtures/easytier/README.md, "Replaying a session".
 * @param name of a file in `sessions`, without `.json`
 */
export function readSession(name: string) {
  const raw = readVectors<Raw>(`sessions/${name}`)
  const { network, links } = raw
  const identity = { name: network.network_name, secret: network.network_secret }
  const readers = { native: createMeaningReader(identity), real: createMeaningReader(identity) }
  const isUdp = (name: string) => links.find(({ link }) => link === name)?.carrier === 'udp'

  return {
    identity,
    role: raw.native_role,
    servicePort: raw.tcp_port_of_the_service,
    fixed: raw.fixed,
    /** The name of each link with the peer at its far end. */
    links: links.map(({ link, carrier, far_end }) => ({ link, carrier, peerId: far_end.peer_id })),
    /** What the native side listed at the end, itself left out. */
    peers: raw.result.native_peers.filter(({ id }) => id !== raw.fixed.peer_id),
    events: raw.events.map(({ t_ms: at, direction, link, bytes = '' }): RecordedEvent => {
      const isNative = direction === 'native to real'
      const about = { at, isNative, link }
      if (bytes === '') return { ...about, what: { kind: 'closed' } }
      const read = isNative ? readers.native : readers.real
      return {
        ...about,
        what: isUdp(link) ? fromDatagram(unhex(bytes), read) : fromFrame(unhex(bytes), read),
      }
    }),
  }
}

/** All that the native side said, in order. */
export function nativeMeanings({ events }: RecordedSession): readonly Meaning[] {
  return events.flatMap(({ isNative, what }) =>
    isNative && what.kind === 'packet' ? (what.meaning ?? []) : [],
  )
}

type Read = (bytes: Uint8Array) => Meaning | undefined

function fromFrame(frame: Uint8Array, read: Read): RecordedEvent['what'] {
  const packets: Uint8Array[] = []
  createPacketReader().push(frame, (packet) => packets.push(packet))
  const [bytes] = packets
  if (!bytes || packets.length !== 1) throw new Error('not one packet in a frame')
  return { kind: 'packet', bytes, meaning: read(bytes) }
}

function fromDatagram(bytes: Uint8Array, read: Read): RecordedEvent['what'] {
  if (isStun(bytes)) return { kind: 'datagram', bytes, datagram: 'stun' }
  const datagram = decodeDatagram(bytes)
  if (!datagram) throw new Error('no datagram of this network')
  if (datagram.type !== 'data') return { kind: 'datagram', bytes, datagram }
  return { kind: 'packet', bytes: datagram.body, meaning: read(datagram.body) }
}
