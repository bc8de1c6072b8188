import type { Clock } from '@lantern-room/base/async'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import { createDatagramLayer, type DatagramLayerOptions } from './ip/datagramLayer'
import type { OnRefused } from './limitLog'
import type { Peer } from './peer/peer'
import { createPeerTraffic } from './peerTraffic'
import { random32 } from './random'
import { createStreamLayer } from './streamLayer'
import { parseIpv4 } from './wire/addresses'
import { packetFlags, packetTypes } from './wire/packet'

/** An IPv4 address inside the network, and a port. */
export type MemberEndpoint = { readonly address: string; readonly port: number }

/** The target of a stream or a flow of a member, and the member that has opened it. */
export type IncomingPayload = {
  /** The local port. */
  readonly port: number
  /** As the network knows the sender of its packets. @see docs/network/protocol.md, "Who a packet comes from" */
  readonly peerId: number
}

/** Handlers for streams and flows that members open. */
export type IncomingHandlers = {
  /** Whether this member may reach this port of ours. */
  readonly acceptsTcp: (port: number, peerId: number) => boolean
  readonly acceptsUdp: (port: number, peerId: number) => boolean
  readonly onStream: (stream: ByteStream, from: IncomingPayload) => void
  readonly onFlow: (flow: DatagramFlow, from: IncomingPayload) => void
}

export type PayloadLayerOptions = IncomingHandlers &
  Pick<DatagramLayerOptions, 'dropsFragments'> & {
    readonly ownId: number
    /** Our IPv4 address inside the network. */
    readonly address: () => string | undefined
    readonly clock: Clock
    /** From a cryptographic source. */
    readonly randomBytes: (size: number) => Uint8Array
    /** By which a member is reached, if it is. */
    readonly meshOf: (peerId: number) => { readonly peer: Pick<Peer, 'send'> } | undefined
    readonly onRefused: OnRefused
  }

/** Local ports of flows: above the usual services. */
const FIRST_FLOW_PORT = 32_768
const FLOW_PORTS = 28_000

export type PayloadLayer = ReturnType<typeof createPayloadLayer>

/** What members exchange through meshes, which carry it unread: streams and datagrams. */
export function createPayloadLayer(options: PayloadLayerOptions) {
  const { ownId, clock, randomBytes, onRefused } = options
  const traffic = createPeerTraffic(clock)
  const ownAddress = () => parseIpv4(options.address() ?? '')
  const streams = createStreamLayer({
    clock,
    ownId,
    random32: () => random32(randomBytes),
    onRefused,
    send,
    accepts: (to, peerId) => to.address === ownAddress() && options.acceptsTcp(to.port, peerId),
    onStream: (stream, { port }, peerId) => options.onStream(stream, { port, peerId }),
  })
  const datagrams = createDatagramLayer({
    clock,
    ownAddress,
    accepts: options.acceptsUdp,
    dropsFragments: options.dropsFragments,
    packetSizeTo: streams.payloadTo,
    onFlow: (flow, port, peerId) => options.onFlow(flow, { port, peerId }),
    onRefused,
    randomPort: () => FIRST_FLOW_PORT + (random32(randomBytes) % FLOW_PORTS),
    send: (peerId, packet, isAnswer) =>
      send(peerId, packetTypes.data, packet, isAnswer ? packetFlags.noProxy : 0),
  })

  return {
    /** @param payload must not change afterwards */
    receive(type: number, payload: Uint8Array, from: number): void {
      traffic.noteReceived(from, payload.length)
      if (type === packetTypes.data) datagrams.receive(payload, from)
      else streams.receive(type, payload, from)
    },
    /** @throws StreamError, or the signal's reason */
    dial: (peerId: number, to: MemberEndpoint, signal?: AbortSignal): Promise<ByteStream> =>
      streams.dial(
        peerId,
        { source: { address: ownAddress() ?? 0, port: 0 }, destination: numeric(to) },
        signal,
      ),
    datagrams(peerId: number, to: MemberEndpoint): DatagramFlow {
      const { address, port } = numeric(to)
      return datagrams.open({ peerId, address, port })
    },
    /** Sends a payload without content, from which the member learns by which mesh it reaches us. */
    announce: (peerId: number): void => void send(peerId, packetTypes.data, Uint8Array.of(0)),
    forgetPeer: streams.forgetPeer,
    traffic,
    /** Tells the members, while there are still meshes to do so. */
    close(): void {
      streams.close()
      datagrams.close()
    },
  }

  function send(peerId: number, type: number, payload: Uint8Array, flags = 0) {
    const carrier = options.meshOf(peerId)?.peer.send(peerId, type, payload, flags)
    if (carrier) traffic.noteSent(peerId, payload.length)
    return carrier
  }
}

function numeric({ address, port }: MemberEndpoint) {
  return { address: parseIpv4(address) ?? 0, port }
}
