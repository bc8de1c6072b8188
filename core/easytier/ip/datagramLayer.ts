import type { Clock } from '@lantern-room/base/async'
import { createDeferred } from '@lantern-room/base/async'
import { CLOSED_FLOW, type DatagramFlow } from '@lantern-room/base/bytes'
import { type Denial, Shares } from '@lantern-room/base/limits'
import type { OnRefused } from '../limitLog'
import { decodeIpv4, fragmentSizeFor, LARGE_FRAGMENT_PAYLOAD } from './ipv4'
import { createReassembly } from './reassembly'
import { decodeUdp, encodeUdp, MAX_UDP_DATA } from './udp'

export type DatagramLayerOptions = {
  readonly clock: Clock
  /** Our address as a number. */
  readonly ownAddress: () => number | undefined
  readonly randomPort: () => number
  readonly send: (peerId: number, packet: Uint8Array, isAnswer: boolean) => void
  /** @param peerId the member that opens the flow, as in `onFlow` */
  readonly accepts: (port: number, peerId: number) => boolean
  readonly onFlow: (flow: DatagramFlow, port: number, peerId: number) => void
  /** Whether a member may read only the first fragment of a datagram to its ports, as real nodes with a list of ports do. */
  readonly dropsFragments?: ((peerId: number) => boolean) | undefined
  /** The largest packet that is known to reach a member, in bytes; undefined where nothing is known. */
  readonly packetSizeTo: (peerId: number) => number | undefined
  readonly onRefused: OnRefused
}

/** The limit for flows that we open. */
const MAX_FLOWS = 1024
/** The limits for flows that members open: each is a socket to a program on this machine. */
const MAX_ACCEPTED = { perOwner: 64, total: 512 }
const OPENED_IDLE_MS = 600_000
const ACCEPTED_IDLE_MS = 180_000
const DROP_IDLE_EVERY_MS = 1

/** Identifies a flow: the member with its address and port, and our port. */
type FlowEnds = {
  readonly peerId: number
  readonly ownPort: number
  readonly address: number
  readonly port: number
}

type Flow = FlowEnds & {
  readonly isAccepted: boolean
  readonly flow: DatagramFlow
  readonly close: () => void
  listener: (bytes: Uint8Array) => void
  usedAt: number
}

/** UDP between members, as raw IPv4 packets. @see docs/network/protocol.md, "Datagrams" */
export function createDatagramLayer(options: DatagramLayerOptions) {
  const { clock, ownAddress, randomPort, onRefused } = options
  const reassembly = createReassembly()
  const flows = new Map<string, Flow>()
  const accepted = new Shares<number, Flow>(MAX_ACCEPTED)
  let lastId = 0
  let nextDropAt = Number.NEGATIVE_INFINITY

  return {
    /** Handles an opened packet of type 1. @param from the member that sent it */
    receive(payload: Uint8Array, from: number): void {
      const part = decodeIpv4(payload)
      if (!part || part.target !== ownAddress()) return
      const packet = reassembly.add(part, clock.now(), from)
      const datagram = packet && decodeUdp(packet)
      if (!datagram) return
      const { sourcePort, targetPort, data } = datagram
      const ends = { peerId: from, ownPort: targetPort, address: packet.source, port: sourcePort }
      const flow = flows.get(keyOf(ends)) ?? accept(ends)
      if (!flow) return
      flow.usedAt = clock.now()
      flow.listener(data)
    },
    /** @param to of the member; addresses as big-endian numbers */
    open(to: Omit<FlowEnds, 'ownPort'>): DatagramFlow {
      let ends = { ...to, ownPort: randomPort() }
      while (flows.has(keyOf(ends))) ends = { ...to, ownPort: randomPort() }
      return add(ends, false)?.flow ?? CLOSED_FLOW
    },
    close(): void {
      for (const { close } of [...flows.values()]) close()
    },
  }

  function accept(ends: FlowEnds): Flow | undefined {
    if (!options.accepts(ends.ownPort, ends.peerId)) return undefined
    const added = add(ends, true)
    if (added) options.onFlow(added.flow, ends.ownPort, ends.peerId)
    return added
  }

  function add(ends: FlowEnds, isAccepted: boolean): Flow | undefined {
    dropIdle()
    if (!isAccepted && flows.size - accepted.size >= MAX_FLOWS) {
      onRefused('UDP flows')
      return undefined
    }
    const key = keyOf(ends)
    const closed = createDeferred()
    const close = () => {
      flows.delete(key)
      accepted.remove(ends.peerId, flow)
      closed.resolve()
    }
    const flow: Flow = {
      ...ends,
      isAccepted,
      close,
      listener: () => {},
      usedAt: clock.now(),
      flow: {
        closed: closed.promise,
        close,
        send: (bytes) => flows.get(key) === flow && send(flow, bytes),
        onDatagram(listener) {
          flow.listener = listener
        },
      },
    }
    const onDenied = (peerId: number, denial: Denial) => onRefused('UDP flows', peerId, denial)
    if (isAccepted && !accepted.place(ends.peerId, flow, onDenied, (newest) => newest.close()))
      return undefined
    flows.set(key, flow)
    return flow
  }

  function send(flow: Flow, bytes: Uint8Array): void {
    const { peerId, ownPort, address, port, isAccepted } = flow
    const source = ownAddress()
    if (source === undefined || bytes.length > MAX_UDP_DATA) return
    flow.usedAt = clock.now()
    lastId = (lastId + 1) & 0xffff
    const to = { source, sourcePort: ownPort, target: address, targetPort: port, id: lastId }
    for (const packet of encodeUdp(to, bytes, fragmentSizeTo(flow))) options.send(peerId, packet, isAccepted)
  }

  function fragmentSizeTo({ peerId, isAccepted }: Flow): number | undefined {
    if (!isAccepted && options.dropsFragments?.(peerId)) return LARGE_FRAGMENT_PAYLOAD
    const packetSize = options.packetSizeTo(peerId)
    return packetSize === undefined ? undefined : fragmentSizeFor(packetSize)
  }

  function dropIdle(): void {
    const now = clock.now()
    if (now < nextDropAt) return
    nextDropAt = now + DROP_IDLE_EVERY_MS
    const limitOf = ({ isAccepted }: Flow) => (isAccepted ? ACCEPTED_IDLE_MS : OPENED_IDLE_MS)
    for (const flow of [...flows.values()]) if (now - flow.usedAt >= limitOf(flow)) flow.close()
  }
}

function keyOf({ peerId, ownPort, address, port }: FlowEnds): string {
  return `${peerId} ${ownPort} ${address} ${port}`
}
