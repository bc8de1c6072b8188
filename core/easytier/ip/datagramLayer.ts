import type { Clock } from '#core/async/clock'
import type { DatagramFlow } from '#core/byteStream'
import { createShares } from '#core/shares'
import type { OnRefused } from '../limitLog'
import { decodeIpv4 } from './ipv4'
import { createReassembly } from './reassembly'
import { decodeUdp, encodeUdp, MAX_UDP_DATA } from './udp'

/** UDP between members, as raw IPv4 packets. */
export type DatagramLayer = {
  /** Handles an opened packet of type 1. @param from the member that sent it */
  receive(payload: Uint8Array, from: number): void
  /** @param to of the member; addresses as big-endian numbers */
  open(to: { readonly peerId: number; readonly address: number; readonly port: number }): DatagramFlow
  close(): void
}

export type DatagramLayerOptions = {
  readonly clock: Clock
  /** Our address as a number. */
  readonly ownAddress: () => number | undefined
  readonly randomPort: () => number
  readonly send: (peerId: number, packet: Uint8Array, isAnswer: boolean) => void
  /** @param peerId the member that opens the flow, as in `onFlow` */
  readonly accepts: (port: number, peerId: number) => boolean
  readonly onFlow: (flow: DatagramFlow, port: number, peerId: number) => void
  readonly onRefused: OnRefused
}

/** The limit for flows that we open. */
const MAX_FLOWS = 1024
/** The limits for flows that members open: each is a socket to a program on this machine. */
const MAX_ACCEPTED = { perOwner: 64, total: 512 }
const OPENED_IDLE_MS = 600_000
const ACCEPTED_IDLE_MS = 180_000
const DROP_IDLE_EVERY_MS = 1

type Flow = {
  readonly peerId: number
  readonly ownPort: number
  readonly address: number
  readonly port: number
  readonly isAccepted: boolean
  readonly flow: DatagramFlow
  readonly close: () => void
  listener: (bytes: Uint8Array) => void
  usedAt: number
}

/** @see docs/network/protocol.md, "Datagrams" */
export function createDatagramLayer(options: DatagramLayerOptions): DatagramLayer {
  const { clock, ownAddress } = options
  const reassembly = createReassembly()
  const flows = new Map<string, Flow>()
  const accepted = createShares<number, Flow>(MAX_ACCEPTED)
  let lastId = 0
  let nextDropAt = Number.NEGATIVE_INFINITY

  return {
    receive(payload, from) {
      const part = decodeIpv4(payload)
      if (!part || part.target !== ownAddress()) return
      const packet = reassembly.add(part, clock.now())
      const datagram = packet && decodeUdp(packet)
      if (!datagram) return
      const { sourcePort, targetPort, data } = datagram
      const known = flows.get(keyOf(from, targetPort, packet.source, sourcePort))
      const flow = known ?? accept(from, targetPort, packet.source, sourcePort)
      if (!flow) return
      flow.usedAt = clock.now()
      flow.listener(data)
    },

    open({ peerId, address, port }) {
      let ownPort = options.randomPort()
      while (flows.has(keyOf(peerId, ownPort, address, port))) ownPort = options.randomPort()
      return (add(peerId, ownPort, address, port, false) ?? closedFlow()).flow
    },

    close() {
      for (const { close } of [...flows.values()]) close()
    },
  }

  function accept(peerId: number, ownPort: number, address: number, port: number): Flow | undefined {
    if (!options.accepts(ownPort, peerId)) return undefined
    const added = add(peerId, ownPort, address, port, true)
    if (added) options.onFlow(added.flow, ownPort, peerId)
    return added
  }

  function add(
    peerId: number,
    ownPort: number,
    address: number,
    port: number,
    isAccepted: boolean,
  ): Flow | undefined {
    dropIdle()
    if (!isAccepted && flows.size - accepted.size >= MAX_FLOWS) {
      options.onRefused('UDP flows')
      return undefined
    }
    const key = keyOf(peerId, ownPort, address, port)
    let tellClosed = () => {}
    const closed = new Promise<void>((resolve) => {
      tellClosed = resolve
    })
    const close = () => {
      flows.delete(key)
      accepted.remove(peerId, entry)
      tellClosed()
    }
    const entry: Flow = {
      peerId,
      ownPort,
      address,
      port,
      isAccepted,
      close,
      listener: () => {},
      usedAt: clock.now(),
      flow: {
        closed,
        close,
        send: (bytes) => flows.get(key) === entry && send(entry, bytes),
        onDatagram(listener) {
          entry.listener = listener
        },
      },
    }
    if (isAccepted && !takePlace(entry)) return undefined
    flows.set(key, entry)
    return entry
  }

  function takePlace(flow: Flow): boolean {
    const taken = accepted.add(flow.peerId, flow)
    if (taken.kind === 'refuse') {
      options.onRefused('UDP flows', flow.peerId, taken.isOverShare ? 'refused' : 'full')
      return false
    }
    if (taken.kind === 'displace') {
      options.onRefused('UDP flows', taken.from, 'withdrawn')
      taken.item.close()
    }
    return true
  }

  function send(flow: Flow, bytes: Uint8Array): void {
    const source = ownAddress()
    if (source === undefined || bytes.length > MAX_UDP_DATA) return
    flow.usedAt = clock.now()
    lastId = (lastId + 1) & 0xffff
    const to = { source, sourcePort: flow.ownPort, target: flow.address, targetPort: flow.port, id: lastId }
    for (const packet of encodeUdp(to, bytes)) options.send(flow.peerId, packet, flow.isAccepted)
  }

  function dropIdle(): void {
    const now = clock.now()
    if (now < nextDropAt) return
    nextDropAt = now + DROP_IDLE_EVERY_MS
    for (const { usedAt, isAccepted, close } of [...flows.values()]) {
      if (now - usedAt >= (isAccepted ? ACCEPTED_IDLE_MS : OPENED_IDLE_MS)) close()
    }
  }
}

function keyOf(peerId: number, ownPort: number, address: number, port: number): string {
  return `${peerId} ${ownPort} ${address} ${port}`
}

/** The flow that is returned beyond the limit: it drops everything. */
function closedFlow(): Pick<Flow, 'flow'> {
  const flow: DatagramFlow = {
    send() {},
    onDatagram() {},
    close() {},
    closed: Promise.resolve(),
  }
  return { flow }
}
