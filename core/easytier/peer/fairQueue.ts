import type { Clock } from '@lantern-room/base/async'

/** The burst after a pause, as time at the rate. */
const BURST_MS = 50
/** The queue limit of one flow, as time at the whole rate, and at least. */
const FLOW_MS = 100
const LEAST_FLOW_BYTES = 16_000
/** The queue limit of one flow in packets, however short: taking the first one of a longer array moves all others. */
const MAX_FLOW_PACKETS = 8000
/** The queue limit of all flows. */
const MAX_BYTES = 2_000_000

type Waiting = { readonly tag: number; readonly size: number; readonly send: () => void }
type Flow = { readonly waiting: Waiting[]; bytes: number; nextTag: number }

/**
 * Sends packets of several flows within a rate: while there are more, each flow gets an equal share of its bytes.
 * Start-time fair queuing (Goyal, Vin, Cheng: "Start-time fair queuing", 1996): each packet is tagged with the bytes that its
 * flow had been served before it, and the lowest tag goes first.
 */
export function createFairQueue(bytesPerSecond: number, clock: Clock) {
  const bytesPerMs = bytesPerSecond / 1000
  const maxFlowBytes = Math.max(LEAST_FLOW_BYTES, bytesPerMs * FLOW_MS)
  /** The flows that have packets waiting. */
  const flows = new Map<string, Flow>()
  let servedTag = 0
  let totalBytes = 0
  /** When what was sent is paid for by the rate. */
  let paidAt = clock.now() - BURST_MS
  let cancelTimer: (() => void) | undefined

  return {
    /** Sends the packet at once, or after those of the same flow that wait. What is far more than the flow's share is dropped. */
    add(name: string, packet: Uint8Array, send: () => void): void {
      const size = packet.length
      if (flows.size === 0 && paidAt <= clock.now()) {
        pay(size)
        send()
        return
      }
      enqueue(name, size, send)
      while (totalBytes > MAX_BYTES) dropOldestOfLargest()
      schedule()
    },
    close(): void {
      flows.clear()
      totalBytes = 0
      cancelTimer?.()
      cancelTimer = undefined
    },
  }

  function enqueue(name: string, size: number, send: () => void): void {
    const flow = flows.get(name) ?? { waiting: [], bytes: 0, nextTag: servedTag }
    if (flow.bytes + size > maxFlowBytes || flow.waiting.length === MAX_FLOW_PACKETS) return
    flows.set(name, flow)
    flow.waiting.push({ tag: flow.nextTag, size, send })
    flow.nextTag += size
    flow.bytes += size
    totalBytes += size
  }

  function dropOldestOfLargest(): void {
    const [largest] = [...flows].sort(([, one], [, other]) => other.bytes - one.bytes)
    if (largest) shift(...largest)
  }

  function shift(name: string, flow: Flow): Waiting | undefined {
    const first = flow.waiting.shift()
    flow.bytes -= first?.size ?? 0
    totalBytes -= first?.size ?? 0
    if (flow.waiting.length === 0) flows.delete(name)
    return first
  }

  function schedule(): void {
    if (flows.size === 0 || cancelTimer) return
    cancelTimer = clock.after(Math.max(1, Math.ceil(paidAt - clock.now())), () => {
      cancelTimer = undefined
      while (flows.size > 0 && paidAt <= clock.now()) sendNext()
      schedule()
    })
  }

  function sendNext(): void {
    let next: [string, Flow] | undefined
    for (const entry of flows) if (!next || tagOf(entry[1]) < tagOf(next[1])) next = entry
    const packet = next && shift(...next)
    if (!packet) return
    servedTag = packet.tag
    pay(packet.size)
    packet.send()
  }

  function pay(size: number): void {
    paidAt = Math.max(paidAt, clock.now() - BURST_MS) + size / bytesPerMs
  }
}

function tagOf({ waiting: [first] }: Flow): number {
  return first?.tag ?? Number.POSITIVE_INFINITY
}
