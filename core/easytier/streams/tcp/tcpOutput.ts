import { TCP_WINDOW, type TcpReceiver } from './tcpReceiver'
import { type TcpSegment, tcpFlags } from './tcpSegment'

/** Without the ports, which the owner of the connection knows. */
export type OutgoingTcpSegment = Omit<TcpSegment, 'sourcePort' | 'targetPort'>

/** Builds the segments of one connection: each acknowledges what has arrived and announces the window. */
export type TcpOutput = {
  emit(flags: number, sequence: number, data?: Uint8Array): void
  emitSyn(): void
  /** What has arrived is to be acknowledged by the next tick, unless another segment does so before. */
  requestAck(): void
  readonly mustAck: boolean
  /** The window that was announced last. */
  readonly announcedWindow: number
}

/** What real acceptors announce: a packet with it fits every transport. */
export const TCP_SEGMENT_DATA = 1240
const WINDOW_SCALE = 3

/**
 * @param first our first sequence number
 * @param isScaled whether the other side offered window scaling
 */
export function createTcpOutput(
  receiver: TcpReceiver,
  first: number,
  isScaled: boolean,
  send: (segment: OutgoingTcpSegment) => void,
): TcpOutput {
  let mustAck = false
  let announcedWindow = TCP_WINDOW

  return {
    get mustAck() {
      return mustAck
    },
    get announcedWindow() {
      return announcedWindow
    },
    requestAck() {
      mustAck = true
    },
    emit(flags, sequence, data = NOTHING) {
      announcedWindow = receiver.window
      mustAck = false
      const window = Math.min(0xffff, isScaled ? announcedWindow >> WINDOW_SCALE : announcedWindow)
      send({ sequence, acknowledged: receiver.next, flags: flags | tcpFlags.ack, window, data })
    },
    emitSyn: () =>
      send({
        sequence: first,
        acknowledged: receiver.next,
        flags: tcpFlags.syn | tcpFlags.ack,
        // Never scaled in a SYN.
        window: Math.min(0xffff, receiver.window),
        maxSegment: TCP_SEGMENT_DATA,
        windowScale: isScaled ? WINDOW_SCALE : undefined,
        data: NOTHING,
      }),
  }
}

const NOTHING: Uint8Array = new Uint8Array(0)
