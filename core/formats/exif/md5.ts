import { concatBytes, viewOf } from '@lantern-room/base/bytes'

/** How far each of four steps of a round turns. */
const TURNS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const
/** Which word of a block a step of a round takes: `factor · step + start`, of 16. */
const WORDS = [
  [1, 0],
  [5, 1],
  [3, 5],
  [7, 0],
] as const

const BLOCK_BYTES = 64
const STEPS = 64
const SINES = Array.from({ length: STEPS }, (_, step) => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32))

/**
 * A check sum for what says of itself that it is MD5. It protects nothing.
 * @returns 16 bytes
 * @see RFC 1321
 */
export function md5(bytes: Uint8Array): Uint8Array {
  const message = filledUp(bytes)
  let state: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
  for (let at = 0; at < message.byteLength; at += BLOCK_BYTES) {
    state = addBlock(state, new DataView(message.buffer, message.byteOffset + at, BLOCK_BYTES))
  }
  const sum = new Uint8Array(16)
  state.forEach((word, i) => {
    viewOf(sum).setUint32(4 * i, word, true)
  })
  return sum
}

/** The bytes, filled up to whole blocks, with their length at the end. */
function filledUp(bytes: Uint8Array): DataView {
  const filling = BLOCK_BYTES - ((bytes.length + 8) % BLOCK_BYTES)
  const message = viewOf(concatBytes([bytes, Uint8Array.of(0x80), new Uint8Array(filling - 1 + 8)]))
  message.setBigUint64(message.byteLength - 8, BigInt(bytes.length) * 8n, true)
  return message
}

type State = readonly [number, number, number, number]

function addBlock(state: State, block: DataView): State {
  let [a, b, c, d] = state
  for (let step = 0; step < STEPS; step++) {
    const round = step >> 4
    const [factor, start] = WORDS[round] ?? [0, 0]
    const word = block.getUint32(4 * ((factor * step + start) % 16), true)
    const sum = (a + mixed(round, b, c, d) + (SINES[step] ?? 0) + word) >>> 0
    const turn = TURNS[round]?.[step % 4] ?? 0
    const turned = (sum << turn) | (sum >>> (32 - turn))
    ;[a, b, c, d] = [d, (b + turned) >>> 0, b, c]
  }
  return [(state[0] + a) >>> 0, (state[1] + b) >>> 0, (state[2] + c) >>> 0, (state[3] + d) >>> 0]
}

function mixed(round: number, b: number, c: number, d: number): number {
  if (round === 0) return (b & c) | (~b & d)
  if (round === 1) return (d & b) | (~d & c)
  return round === 2 ? b ^ c ^ d : c ^ (b | ~d)
}
