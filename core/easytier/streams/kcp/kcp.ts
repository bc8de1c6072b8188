import { uint32At } from '#core/bytes'
import { createMemoryBudget, type MemoryBudget } from './memoryBudget'
import type { Outbox } from './outbox'
import { createReceiver } from './receiver'
import { distance, KCP_WINDOW, kcpCommands, SEGMENT_HEADER_SIZE, segmentEnd } from './segments'
import { createSender } from './sender'

/** One KCP conversation, without the connection around it. Times are milliseconds that never jump back. */
export type Kcp = {
  /** Segments of one packet. Malformed ones are ignored. The bytes must not change afterwards. */
  input(packet: Uint8Array, now: number): void
  /** Queues bytes, which must not change afterwards. */
  write(bytes: Uint8Array): void
  /** The next bytes in order; undefined when there are none at the moment. */
  read(): Uint8Array | undefined
  /** Sends through the outbox what is due now. */
  flush(now: number, outbox: Outbox): void
  /** When to flush; in the past when something is due already, Infinity for never. */
  nextDeadline(): number
  /** While this is on, the other side is asked for its window until it is full again: until its reader has all. */
  askWhetherRead(isOn: boolean): void
  /** Forgets what was received and what will be. */
  discard(): void
  /** Forgets what was written; to be called when nothing more is sent. */
  discardWritten(): void
  /** Whether bytes have arrived that cannot be read, since some before them are missing. */
  hasGap(): boolean
  /** Whether all that was written has arrived. */
  readonly isDelivered: boolean
  /** Whether all that was written has been read, as far as the other side's window shows. */
  readonly isRead: boolean
  /** Bytes written and not sent once. */
  readonly queued: number
  readonly readable: number
  /** Segments that the other side takes, as last announced. */
  readonly peerWindow: number
  /** Smoothed round trip in milliseconds. */
  roundTrip(): number | undefined
  /** Since when nothing was acknowledged though something is outstanding; undefined otherwise. */
  stuckSince(): number | undefined
}

/** Segments in order are acknowledged after this delay, by one ack for all of them. */
const ACK_DELAY = 2
/** The other side's window before it has announced one. */
const FIRST_WINDOW = 128
/** Our window is announced again when it has opened from below the first to above the second. */
const LOW_WINDOW = KCP_WINDOW / 4
const HIGH_WINDOW = KCP_WINDOW / 2
const ASK_READ_EVERY = 20
const ASK_CLOSED_FIRST = 200
const ASK_CLOSED_LATER = 2000

type PutSegment = (command: number, timestamp: number, sequence: number, data: Uint8Array) => void

/**
 * @param budget shared by streams that must not hold too much together
 * @see docs/network/streams.md
 */
export function createKcp(conv: number, budget: MemoryBudget = createMemoryBudget(4_000_000)): Kcp {
  const sender = createSender()
  const receiver = createReceiver(budget)
  let peerWindow = FIRST_WINDOW
  let knowsWindow = false
  let announcedWindow = KCP_WINDOW
  let ackSince = Number.POSITIVE_INFINITY
  let mustTell = false
  let mustSend = false
  let isAskingRead = false
  let nextAsk = Number.POSITIVE_INFINITY
  let askWait = ASK_CLOSED_FIRST

  const onWindow = (window: number) => {
    peerWindow = window
    knowsWindow = true
    if (window > 0) askWait = ASK_CLOSED_FIRST
  }
  /** The window is closed, and nothing is outstanding whose acknowledgement would bring a new one. */
  const isShutOut = () => sender.queued > 0 && peerWindow === 0 && sender.outstanding === 0
  const isRead = () =>
    sender.queued === 0 && sender.outstanding === 0 && (!knowsWindow || peerWindow >= KCP_WINDOW)
  const mustAsk = () => isShutOut() || (isAskingRead && !isRead() && sender.outstanding === 0)

  /** @returns false when it acknowledges what was never sent */
  const takeSegment = (packet: Uint8Array, at: number, end: number, now: number): boolean => {
    const command = packet[at + 4]
    const timestamp = uint32At(packet, at + 8)
    const sequence = uint32At(packet, at + 12)
    const unacknowledged = uint32At(packet, at + 16)
    // The segment's own time first: acknowledged together with all before it, it could not be measured any more.
    if (command === kcpCommands.ack) sender.acknowledge(sequence, timestamp, now)
    const isOld = distance(unacknowledged, sender.oldest) < 0
    if (!sender.acknowledgeBefore(unacknowledged)) return false
    if (!isOld) onWindow(uint32At(packet, at + 4) >>> 16)
    if (command === kcpCommands.ask) mustTell = true
    if (command === kcpCommands.push) {
      receiver.push(sequence, timestamp, packet.subarray(at + SEGMENT_HEADER_SIZE, end))
    }
    return true
  }
  /** Stops at the first segment of another conversation, or that cannot be true. */
  const takeSegments = (packet: Uint8Array, now: number): 'taken' | 'foreign' | 'lie' => {
    let at = 0
    for (let end = segmentEnd(packet, at); end !== undefined; end = segmentEnd(packet, at)) {
      if (uint32At(packet, at) !== conv) return 'foreign'
      if (!takeSegment(packet, at, end, now)) return 'lie'
      at = end
    }
    return 'taken'
  }

  const putAcks = (now: number, put: PutSegment) => {
    if (!receiver.hasAcks) return
    const hasMore = sender.queued > 0 || sender.outstanding > 0
    if (!hasMore && !receiver.isUrgent && !mustTell && now < ackSince + ACK_DELAY) return
    receiver.takeAcks((sequence, timestamp) => put(kcpCommands.ack, timestamp, sequence, NOTHING))
    ackSince = Number.POSITIVE_INFINITY
  }
  const putAsk = (now: number, put: PutSegment) => {
    planAsk(now)
    if (now < nextAsk) return
    put(kcpCommands.ask, 0, 0, NOTHING)
    if (isShutOut()) askWait = Math.min(askWait * 1.5, ASK_CLOSED_LATER)
    nextAsk = now + (isShutOut() ? askWait : ASK_READ_EVERY)
  }
  const planAsk = (now: number) => {
    if (!mustAsk()) nextAsk = Number.POSITIVE_INFINITY
    else if (nextAsk === Number.POSITIVE_INFINITY) nextAsk = isShutOut() ? now + askWait : now
  }

  return {
    input(packet, now) {
      const outcome = takeSegments(packet, now)
      if (outcome === 'foreign') return
      sender.afterInput(now)
      if (outcome === 'lie') return
      if (receiver.hasAcks) ackSince = Math.min(ackSince, now)
      planAsk(now)
      // The acknowledgements may have made room to send.
      mustSend = mustTell || sender.queued > 0 || sender.outstanding > 0 || mustSend
    },
    write(bytes) {
      sender.write(bytes)
      mustSend = true
    },
    read() {
      const bytes = receiver.read()
      if (announcedWindow < LOW_WINDOW && receiver.window >= HIGH_WINDOW) mustTell = true
      return bytes
    },
    flush(now, outbox) {
      const time = Math.floor(now)
      const window = receiver.window
      const put: PutSegment = (command, timestamp, sequence, data) => {
        announcedWindow = window
        outbox.put(conv, command, window, timestamp >>> 0, sequence, receiver.next, data)
      }
      putAcks(now, put)
      if (mustTell) put(kcpCommands.tell, 0, 0, NOTHING)
      putAsk(now, put)
      sender.flush(time, peerWindow, (sequence, data) => put(kcpCommands.push, time, sequence, data))
      outbox.finish()
      mustTell = false
      mustSend = false
    },
    nextDeadline() {
      if (mustSend || mustTell || receiver.isUrgent) return 0
      return Math.min(ackSince + ACK_DELAY, nextAsk, sender.nextDeadline())
    },
    askWhetherRead(isOn) {
      isAskingRead = isOn
      mustSend = true
    },
    discard: receiver.discard,
    discardWritten: sender.discard,
    hasGap: receiver.hasGap,
    get isDelivered() {
      return sender.queued === 0 && sender.outstanding === 0
    },
    get isRead() {
      return isRead()
    },
    get queued() {
      return sender.queued
    },
    get peerWindow() {
      return peerWindow
    },
    get readable() {
      return receiver.readable
    },
    roundTrip: sender.roundTrip,
    stuckSince: sender.stuckSince,
  }
}

const NOTHING = new Uint8Array(0)
