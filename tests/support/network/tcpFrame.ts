import { frameSize, writeTcpFrame } from '@lantern-room/easytier/wire'

/** The frame of one packet on a TCP connection. */
export function encodeTcpFrame(packet: Uint8Array): Uint8Array {
  const frame = new Uint8Array(frameSize(packet))
  writeTcpFrame(packet, frame, 0)
  return frame
}
