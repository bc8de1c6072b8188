import { encodeVarint } from '#internal/game/modernPing'
import { text } from '#support/values/bytes'

/** The packet in which a server since 1.7 answers. */
export function statusPacket(json: string | Uint8Array): Uint8Array {
  const body = typeof json === 'string' ? text(json) : json
  const content = Uint8Array.from([0x00, ...encodeVarint(body.length), ...body])
  return Uint8Array.from([...encodeVarint(content.length), ...content])
}

/** The answer to `FE 01`: `FF`, the number of UTF-16 units, and these. */
export function legacyPacket(answer: string): Uint8Array {
  const units = Array.from({ length: answer.length }, (_, at) => answer.charCodeAt(at))
  return Uint8Array.from([0xff, ...bigEndian(answer.length), ...units.flatMap(bigEndian)])
}

function bigEndian(value: number): [number, number] {
  return [value >> 8, value & 0xff]
}
