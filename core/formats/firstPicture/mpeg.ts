import { latin1, viewOf } from '@lantern-room/base/bytes'
import { numberAt, type Reading, type Sized, take } from '@lantern-room/mp4/source'

/** Pictures begin in it, mostly. Where they do not, nothing is known of a longer file. */
const SEARCHED_BYTES = 1024 * 1024
const SYNC = 0x47
const PACKET_BYTES = 188
/** How a packet of pictures begins. @see ISO/IEC 13818-1, table 2-22 */
const PICTURES = /^\0\0\x01[\xe0-\xef\xfd]/

/** Whether pictures begin in a program stream; of MPEG-1 and MPEG-2, where the whole file is searched, two of them. */
export function* programPicture(file: Sized): Reading<boolean> {
  const text = latin1(yield* take(file, 0, SEARCHED_BYTES))
  if (file.size > SEARCHED_BYTES) return true
  if (!/\0\0\x01[\xe0-\xef\xfd]/.test(text)) return false
  // A sequence of these begins with its size.
  const wanted = text.includes('\0\0\x01\xb3') ? /\0\0\x01\0/g : /\0\0\x01[\0-\xb8]/g
  return (text.match(wanted)?.length ?? 0) > 1
}

/** Whether the first packet of pictures in a transport stream is whole, where it says how long it is. */
export function* transportPicture(file: Sized): Reading<boolean> {
  const bytes = yield* take(file, 0, SEARCHED_BYTES)
  const [first, size] = bytes[0] === SYNC ? [0, PACKET_BYTES] : [4, PACKET_BYTES + 4]
  let found: { readonly stream: number; bytesLeft: number } | undefined
  for (let at = first; at + PACKET_BYTES <= bytes.length; at += size) {
    // Players look for the next packet behind damage.
    if (numberAt(bytes, at) !== SYNC) return true
    const { stream, isStart, payload } = readPacket(bytes.subarray(at, at + PACKET_BYTES))
    if (!found && isStart && PICTURES.test(latin1(payload, 0, 4)) && payload.length > 5)
      found = { stream, bytesLeft: 6 + viewOf(payload).getUint16(4) }
    else if (found?.stream === stream && isStart) return true
    if (found?.stream === stream) found.bytesLeft -= payload.length
    if (found && found.bytesLeft <= 0) return true
  }
  return file.size > SEARCHED_BYTES
}

/** @see ISO/IEC 13818-1, 2.4.3.2 "Transport Stream packet layer" */
function readPacket(packet: Uint8Array) {
  const adaptation = (numberAt(packet, 3) & 0x20) === 0 ? 0 : 1 + numberAt(packet, 4)
  return {
    stream: viewOf(packet).getUint16(1) & 0x1fff,
    isStart: (numberAt(packet, 1) & 0x40) !== 0,
    payload: packet.subarray(Math.min(PACKET_BYTES, 4 + adaptation)),
  }
}
