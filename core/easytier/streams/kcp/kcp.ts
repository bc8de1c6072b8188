import { uint32At } from '../../uint32'
import { createMemoryBudget, type MemoryBudget } from './memoryBudget'
import type { Outbox } from './outbox'
import type { PacketSize } from './packetSize'
import { type AskReason, PeerWindow } from './peerWindow'
import { KcpReceiver } from './receiver'
import { cutSegment, SegmentParts } from './segmentParts'
import { distance, KCP_WINDOW, kcpCommands, SEGMENT_HEADER_SIZE, segmentEnd } from './segments'
import { KcpSender } from './sender'

/** Segments in order are acknowledged after this delay, by one ack for all of them. */
const ACK_DELAY = 2
/** Our window is announced again when it has opened from below the first to above the second. */
const LOW_WINDOW = KCP_WINDOW / 4
const HIGH_WINDOW = KCP_WINDOW / 2

type PutSegment = (command: number, timestamp: number, sequence: number, data: Uint8Array) => void

/**
 * One KCP conversation, without the connection around it. Times are milliseconds that never jump back.
 * @see docs/network/streams.md
 */
export class Kcp {
  readonly sender: KcpSender
  readonly receiver: KcpReceiver
  readonly parts: SegmentParts
  readonly #conv: number
  readonly #peerWindow = new PeerWindow()
  #announcedWindow = KCP_WINDOW
  #ackSince = Number.POSITIVE_INFINITY
  #mustTell = false
  #mustSend = false
  #isAskingRead = false

  /**
   * @param size of the packets that reach the other side
   * @param budget shared by streams that must not hold too much together
   */
  constructor(conv: number, size: PacketSize, budget: MemoryBudget = createMemoryBudget(4_000_000)) {
    this.#conv = conv
    this.sender = new KcpSender(size)
    this.receiver = new KcpReceiver(budget)
    this.parts = new SegmentParts(budget)
  }

  /** Segments of one packet. Malformed ones are ignored. The bytes must not change afterwards. */
  input(packet: Uint8Array, now: number): void {
    const outcome = this.#takeSegments(packet, now)
    if (outcome === 'foreign') return
    if (this.#peerWindow.isOfOurs) this.sender.hasPromptPeer()
    this.sender.afterInput(now)
    if (outcome === 'lie') return
    if (this.receiver.hasAcks) this.#ackSince = Math.min(this.#ackSince, now)
    this.#peerWindow.planQuestion(now, this.#askReason())
    // The acknowledgements may have made room to send.
    this.#mustSend ||= this.#mustTell || !this.isDelivered
  }

  /** Queues bytes, which must not change afterwards. */
  write(bytes: Uint8Array): void {
    this.sender.write(bytes)
    this.#mustSend = true
  }

  /** The next bytes in order; undefined when there are none at the moment. */
  read(): Uint8Array | undefined {
    const bytes = this.receiver.read()
    if (this.#announcedWindow < LOW_WINDOW && this.receiver.window >= HIGH_WINDOW) this.#mustTell = true
    return bytes
  }

  flush(now: number, outbox: Outbox): void {
    const time = Math.floor(now)
    const window = this.receiver.window
    const put: PutSegment = (command, timestamp, sequence, data) => {
      this.#announcedWindow = window
      const header = {
        conv: this.#conv,
        command,
        window,
        timestamp: timestamp >>> 0,
        sequence,
        unacknowledged: this.receiver.next,
      }
      outbox.put(header, data)
    }
    this.#putAcks(now, put)
    if (this.#mustTell) put(kcpCommands.tell, 0, 0, NOTHING)
    this.#putAsk(now, put)
    const push = (sequence: number, data: Uint8Array, partSize?: number) => {
      if (partSize === undefined) put(kcpCommands.push, time, sequence, data)
      else for (const part of cutSegment(data, partSize)) put(kcpCommands.part, time, sequence, part)
    }
    this.sender.flush(time, this.#peerWindow.size, push)
    outbox.finish()
    this.#mustTell = false
    this.#mustSend = false
  }

  /** When to flush; in the past when something is due already, Infinity for never. */
  nextDeadline(): number {
    if (this.#mustSend || this.#mustTell || this.receiver.isUrgent) return 0
    return Math.min(this.#ackSince + ACK_DELAY, this.#peerWindow.nextQuestion, this.sender.nextDeadline())
  }

  /** While this is on, the other side is asked for its window until it is full again: until its reader has all. */
  askWhetherRead(isOn: boolean): void {
    this.#isAskingRead = isOn
    this.#mustSend = true
  }

  /** Whether bytes have arrived that cannot be read, since some before them are missing. */
  hasGap(): boolean {
    return this.receiver.hasGap()
  }

  get isDelivered(): boolean {
    return this.sender.queued === 0 && this.sender.outstanding === 0
  }

  /** Whether all that was written has been read, as far as the other side's window shows. */
  get isRead(): boolean {
    return this.isDelivered && this.#peerWindow.isEmpty
  }

  get peerWindow(): number {
    return this.#peerWindow.size
  }

  /** Stops at the first segment of another conversation, or that cannot be true. */
  #takeSegments(packet: Uint8Array, now: number): 'taken' | 'foreign' | 'lie' {
    let at = 0
    for (let end = segmentEnd(packet, at); end !== undefined; end = segmentEnd(packet, at)) {
      if (uint32At(packet, at) !== this.#conv) return 'foreign'
      if (!this.#takeSegment(packet, at, end, now)) return 'lie'
      at = end
    }
    return 'taken'
  }

  /** @returns false when it acknowledges what was never sent */
  #takeSegment(packet: Uint8Array, at: number, end: number, now: number): boolean {
    const command = packet[at + 4]
    const timestamp = uint32At(packet, at + 8)
    const sequence = uint32At(packet, at + 12)
    const unacknowledged = uint32At(packet, at + 16)
    // The segment's own time first: acknowledged together with all before it, it could not be measured any more.
    if (command === kcpCommands.ack) this.sender.acknowledge(sequence, timestamp, now)
    const isOld = distance(unacknowledged, this.sender.oldest) < 0
    if (!this.sender.acknowledgeBefore(unacknowledged)) return false
    if (!isOld) this.#peerWindow.announced(uint32At(packet, at + 4) >>> 16)
    if (command === kcpCommands.ask) this.#mustTell = true
    const body = packet.subarray(at + SEGMENT_HEADER_SIZE, end)
    const whole = command === kcpCommands.part ? this.parts.add(sequence, body) : body
    if (whole && (command === kcpCommands.push || command === kcpCommands.part)) {
      this.receiver.push(sequence, timestamp, whole)
    }
    return true
  }

  #putAcks(now: number, put: PutSegment): void {
    if (!this.receiver.hasAcks) return
    const isDue = this.receiver.isUrgent || this.#mustTell || now >= this.#ackSince + ACK_DELAY
    if (!isDue && this.isDelivered) return
    this.receiver.takeAcks((sequence, timestamp) => put(kcpCommands.ack, timestamp, sequence, NOTHING))
    this.#ackSince = Number.POSITIVE_INFINITY
  }

  #putAsk(now: number, put: PutSegment): void {
    const reason = this.#askReason()
    this.#peerWindow.planQuestion(now, reason)
    if (now < this.#peerWindow.nextQuestion) return
    put(kcpCommands.ask, 0, 0, NOTHING)
    this.#peerWindow.asked(now, reason)
  }

  #askReason(): AskReason {
    if (this.sender.outstanding > 0) return undefined
    if (this.sender.queued > 0 && this.#peerWindow.size === 0) return 'shut-out'
    return this.#isAskingRead && !this.isRead ? 'unread' : undefined
  }
}

const NOTHING = new Uint8Array(0)
