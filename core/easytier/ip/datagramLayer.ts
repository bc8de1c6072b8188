import type { Clock } from '#core/async/clock'
import { createDeferred } from '#core/async/deferred'
import type { DatagramFlow } from '#core/byteStream'
import { Shares } from '#core/shares'
import type { OnRefused } from '../limitLog'
import { decodeIpv4, LARGE_FRAGMENT_PAYLOAD } from './ipv4'
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
  readonly dropsFragments?: (peerId: number) => boolean
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
export class DatagramLayer {
  readonly #options: DatagramLayerOptions
  readonly #reassembly = createReassembly()
  readonly #flows = new Map<string, Flow>()
  readonly #accepted = new Shares<number, Flow>(MAX_ACCEPTED)
  #lastId = 0
  #nextDropAt = Number.NEGATIVE_INFINITY

  constructor(options: DatagramLayerOptions) {
    this.#options = options
  }

  /** Handles an opened packet of type 1. @param from the member that sent it */
  receive(payload: Uint8Array, from: number): void {
    const { clock, ownAddress } = this.#options
    const part = decodeIpv4(payload)
    if (!part || part.target !== ownAddress()) return
    const packet = this.#reassembly.add(part, clock.now())
    const datagram = packet && decodeUdp(packet)
    if (!datagram) return
    const { sourcePort, targetPort, data } = datagram
    const ends = { peerId: from, ownPort: targetPort, address: packet.source, port: sourcePort }
    const flow = this.#flows.get(keyOf(ends)) ?? this.#accept(ends)
    if (!flow) return
    flow.usedAt = clock.now()
    flow.listener(data)
  }

  /** @param to of the member; addresses as big-endian numbers */
  open(to: Omit<FlowEnds, 'ownPort'>): DatagramFlow {
    const { randomPort } = this.#options
    let ends = { ...to, ownPort: randomPort() }
    while (this.#flows.has(keyOf(ends))) ends = { ...to, ownPort: randomPort() }
    return this.#add(ends, false)?.flow ?? closedFlow()
  }

  close(): void {
    for (const { close } of [...this.#flows.values()]) close()
  }

  #accept(ends: FlowEnds): Flow | undefined {
    const { accepts, onFlow } = this.#options
    if (!accepts(ends.ownPort, ends.peerId)) return undefined
    const added = this.#add(ends, true)
    if (added) onFlow(added.flow, ends.ownPort, ends.peerId)
    return added
  }

  #add(ends: FlowEnds, isAccepted: boolean): Flow | undefined {
    this.#dropIdle()
    if (!isAccepted && this.#flows.size - this.#accepted.size >= MAX_FLOWS) {
      this.#options.onRefused('UDP flows')
      return undefined
    }
    const flow = this.#createFlow(ends, isAccepted)
    if (isAccepted && !this.#takePlace(flow)) return undefined
    this.#flows.set(keyOf(ends), flow)
    return flow
  }

  #createFlow(ends: FlowEnds, isAccepted: boolean): Flow {
    const key = keyOf(ends)
    const closed = createDeferred()
    const close = () => {
      this.#flows.delete(key)
      this.#accepted.remove(ends.peerId, flow)
      closed.resolve()
    }
    const flow: Flow = {
      ...ends,
      isAccepted,
      close,
      listener: () => {},
      usedAt: this.#options.clock.now(),
      flow: {
        closed: closed.promise,
        close,
        send: (bytes) => this.#flows.get(key) === flow && this.#send(flow, bytes),
        onDatagram(listener) {
          flow.listener = listener
        },
      },
    }
    return flow
  }

  #takePlace(flow: Flow): boolean {
    const { onRefused } = this.#options
    const taken = this.#accepted.add(flow.peerId, flow)
    if (taken.kind === 'refuse') {
      onRefused('UDP flows', flow.peerId, taken.isOverShare ? 'refused' : 'full')
      return false
    }
    if (taken.kind === 'displace') {
      onRefused('UDP flows', taken.from, 'withdrawn')
      taken.item.close()
    }
    return true
  }

  #send(flow: Flow, bytes: Uint8Array): void {
    const { clock, ownAddress, send } = this.#options
    const source = ownAddress()
    if (source === undefined || bytes.length > MAX_UDP_DATA) return
    flow.usedAt = clock.now()
    this.#lastId = (this.#lastId + 1) & 0xffff
    const to = {
      source,
      sourcePort: flow.ownPort,
      target: flow.address,
      targetPort: flow.port,
      id: this.#lastId,
    }
    const isWhole = !flow.isAccepted && this.#options.dropsFragments?.(flow.peerId)
    const packets = encodeUdp(to, bytes, isWhole ? LARGE_FRAGMENT_PAYLOAD : undefined)
    for (const packet of packets) send(flow.peerId, packet, flow.isAccepted)
  }

  #dropIdle(): void {
    const now = this.#options.clock.now()
    if (now < this.#nextDropAt) return
    this.#nextDropAt = now + DROP_IDLE_EVERY_MS
    for (const { usedAt, isAccepted, close } of [...this.#flows.values()]) {
      if (now - usedAt >= (isAccepted ? ACCEPTED_IDLE_MS : OPENED_IDLE_MS)) close()
    }
  }
}

function keyOf({ peerId, ownPort, address, port }: FlowEnds): string {
  return `${peerId} ${ownPort} ${address} ${port}`
}

/** The flow that is returned beyond the limit: it drops everything. */
function closedFlow(): DatagramFlow {
  return {
    send() {},
    onDatagram() {},
    close() {},
    closed: Promise.resolve(),
  }
}
