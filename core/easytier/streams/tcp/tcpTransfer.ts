import { distance } from '../kcp/segments'
import { createTcpOutput, type OutgoingTcpSegment, TCP_SEGMENT_DATA } from './tcpOutput'
import { createTcpReceiver, TCP_WINDOW } from './tcpReceiver'
import { type TcpSegment, tcpFlags } from './tcpSegment'
import { createTcpSender } from './tcpSender'

/** The data of one connection in both directions, from its first segments to both FINs. */
export type TcpTransfer = {
  /** Bytes not acknowledged, the unsent ones included. */
  readonly queued: number
  readonly readable: number
  /** All up to the other side's FIN is here. */
  readonly hasEnded: boolean
  /** Our FIN and all before it have arrived. */
  readonly isFinished: boolean
  /** How often the oldest segment has been sent in vain. */
  readonly tries: number
  /** Something can be sent, or is to be acknowledged, at once. */
  readonly isUrgent: boolean
  read(): Uint8Array | undefined
  write(bytes: Uint8Array): void
  /** FIN follows all that was written. */
  finish(): void
  /** Drops what has come and what will come. */
  discard(): void
  receive(segment: TcpSegment, now: number): void
  /** Whether an RST with this sequence number may be believed. */
  isInWindow(sequence: number): boolean
  sendSyn(): void
  sendReset(): void
  /** @param isProbing sends an old number, to which the other side has to answer. @returns whether `queued` has shrunk */
  flush(now: number, isProbing: boolean): boolean
  nextDeadline(): number
}

const LEAST_SEGMENT_DATA = 64
const DEFAULT_SEGMENT_DATA = 536

/** @param syn the other side's; @param first our first sequence number */
export function createTcpTransfer(
  syn: TcpSegment,
  first: number,
  send: (segment: OutgoingTcpSegment) => void,
): TcpTransfer {
  const windowScale = syn.windowScale ?? 0
  const offered = syn.maxSegment ?? DEFAULT_SEGMENT_DATA
  const segmentSize = Math.max(LEAST_SEGMENT_DATA, Math.min(TCP_SEGMENT_DATA, offered))
  const receiver = createTcpReceiver((syn.sequence + 1) >>> 0)
  const sender = createTcpSender((first + 1) >>> 0, syn.window, segmentSize)
  const output = createTcpOutput(receiver, first, syn.windowScale !== undefined, send)
  let mustSend = false

  const onData = ({ sequence, data, flags }: TcpSegment) => {
    const isFin = (flags & tcpFlags.fin) !== 0
    if (data.length === 0 && !isFin) {
      // A probe carries no data and an old number; it has to be answered.
      if (distance(sequence, receiver.next) < 0) output.requestAck()
      return
    }
    const isNext = receiver.take(sequence, data, isFin)
    // The sender counts repeated acknowledgements to find a gap: each must be sent.
    if (!isNext || receiver.hasGap) output.emit(0, sender.next)
    else output.requestAck()
  }

  return {
    get queued() {
      return sender.queued
    },
    get readable() {
      return receiver.readable
    },
    get hasEnded() {
      return receiver.hasEnded
    },
    get isFinished() {
      return sender.isFinished
    },
    get tries() {
      return sender.tries
    },
    get isUrgent() {
      return mustSend || output.mustAck
    },
    read() {
      const bytes = receiver.read()
      // Announces room when a quarter of the window is free again, not after each read.
      if (bytes && receiver.window - output.announcedWindow >= TCP_WINDOW / 4) output.requestAck()
      return bytes
    },
    write(bytes) {
      sender.write(bytes)
      mustSend = true
    },
    finish() {
      sender.finish()
      mustSend = true
    },
    discard: receiver.discard,
    receive(segment, now) {
      const isPure = segment.data.length === 0 && !(segment.flags & tcpFlags.fin)
      sender.acknowledge(segment.acknowledged, segment.window << windowScale, isPure, now)
      onData(segment)
      // The acknowledgement may have made room to send.
      mustSend = true
    },
    isInWindow(sequence) {
      const ahead = distance(sequence, receiver.next)
      return ahead >= 0 && ahead <= TCP_WINDOW
    },
    sendSyn: output.emitSyn,
    sendReset: () => output.emit(tcpFlags.rst, sender.next),
    flush(now, isProbing) {
      mustSend = false
      const before = sender.queued
      sender.flush(now, (sequence, data, isFin) =>
        output.emit(isFin ? tcpFlags.fin : tcpFlags.psh, sequence, data),
      )
      if (isProbing) output.emit(0, (sender.next - 1) >>> 0)
      if (output.mustAck) output.emit(0, sender.next)
      return sender.queued < before
    },
    nextDeadline: sender.nextDeadline,
  }
}
