import { type TcpSegment, tcpFlags } from '#core/easytier/streams/tcp/tcpSegment'

/** The first segment of the other side; its first byte has the number 0. */
export const SYN: TcpSegment = {
  sourcePort: 1,
  targetPort: 2,
  sequence: 0xffffffff,
  acknowledged: 0,
  flags: tcpFlags.syn,
  window: 20_000,
  maxSegment: undefined,
  windowScale: undefined,
  data: new Uint8Array(0),
}
