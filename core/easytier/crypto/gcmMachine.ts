/**
 * The two loops of GCM over a payload, as machine code: adding the key stream, and GHASH. Node's own cipher costs one
 * OpenSSL context for each packet, which takes several times as long as the packet itself; in JavaScript GHASH does.
 */
export type GcmMachine = {
  /** The machine's memory: `layout` says what lies where. */
  readonly memory: Uint8Array
  /** Adds the key stream to the text. @param end bytes of it, a multiple of 16 */
  addPad(end: number): void
  /** Takes the text into the hash. @param end bytes of it, a multiple of 16 */
  hash(end: number): void
}

/** Of texts, without the block of lengths. No packet comes near it. */
export const MOST_TEXT = 65_536
const TEXT_ROOM = MOST_TEXT + 16

/** Where things lie in the memory. */
export const layout = {
  /** For each of the 32 half bytes of a block, its 16 products with the hash key: 16 bytes each. */
  tables: 0,
  tablesSize: 32 * 16 * 16,
  /** What has been hashed so far: one block. */
  state: 8192,
  text: 8208,
  /** The key stream: first the block for the tag, then those for the text. */
  pad: 8208 + TEXT_ROOM,
} as const

const PAGES = Math.ceil((layout.pad + TEXT_ROOM) / 65_536)

/** One for the whole process. @returns undefined where this runtime or processor does not have what it takes */
export function gcmMachine(): GcmMachine | undefined {
  machine ??= start() ?? 'missing'
  return machine === 'missing' ? undefined : machine
}

let machine: GcmMachine | 'missing' | undefined

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer }
      readonly addPad: (end: number) => void
      readonly hash: (end: number) => void
    }
  }
}

function start(): GcmMachine | undefined {
  try {
    const { memory, addPad, hash } = new WebAssembly.Instance(new WebAssembly.Module(program())).exports
    return { memory: new Uint8Array(memory.buffer), addPad, hash }
  } catch {
    return undefined
  }
}

/** A module of WebAssembly: two functions that take a number, and a memory. */
function program(): Uint8Array {
  const text = (name: string) => [name.length, ...new TextEncoder().encode(name)]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // The type of both functions: i32 → nothing.
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(3, [2, 0, 0]),
    ...section(5, [1, 0, PAGES]),
    ...section(7, [3, ...text('memory'), 2, 0, ...text('addPad'), 0, 0, ...text('hash'), 0, 1]),
    ...section(10, [2, ...sized(addPadCode()), ...sized(hashCode())]),
  ])
}

const END = 0
const AT = 1
const I32 = 0x7f
const I64 = 0x7e
const V128 = 0x7b

function addPadCode(): number[] {
  return [
    ...[1, 1, I32],
    ...eachBlock([
      ...get(AT),
      ...[...get(AT), ...load(layout.text), ...get(AT), ...load(layout.pad + 16), ...XOR],
      ...store(layout.text),
    ]),
    CLOSE,
  ]
}

/** Multiplication by the hash key is linear: the product of a block is the sum of those of its half bytes. */
function hashCode(): number[] {
  const [sum, half] = [2, 3]
  const products = [0, 1].flatMap((lane) => [
    ...[...get(sum), ...LANE, lane, ...set(half)],
    ...Array.from({ length: 16 }, (_, place) => [
      ...halfByte(half, place),
      ...load(layout.tables + (lane * 16 + place) * 256),
      ...(lane + place === 0 ? [] : XOR),
    ]).flat(),
  ])
  return [
    ...[3, 1, I32, 1, V128, 1, I64],
    ...[...int(0), ...load(layout.state), ...set(sum)],
    ...eachBlock([
      ...[...get(sum), ...get(AT), ...load(layout.text), ...XOR, ...set(sum)],
      ...[...products, ...set(sum)],
    ]),
    ...[...int(0), ...get(sum), ...store(layout.state)],
    CLOSE,
  ]
}

/** Half byte number `place` of a word, times the 16 bytes of a product. */
function halfByte(word: number, place: number): number[] {
  const shift = place === 0 ? [I64_CONST, 4, SHIFT_LEFT] : [I64_CONST, 4 * place - 4, SHIFT_RIGHT]
  return [...get(word), ...shift, WRAP, ...int(0xf0), AND]
}

function eachBlock(body: readonly number[]): number[] {
  const next = [...get(AT), ...int(16), ADD, TEE, AT, ...get(END), LESS, BRANCH_IF, 0]
  return [LOOP, NOTHING, ...body, ...next, CLOSE]
}

const CLOSE = 0x0b
const LOOP = 0x03
const NOTHING = 0x40
const BRANCH_IF = 0x0d
const TEE = 0x22
const LESS = 0x49
const ADD = 0x6a
const AND = 0x71
const WRAP = 0xa7
const I64_CONST = 0x42
const SHIFT_LEFT = 0x86
const SHIFT_RIGHT = 0x88
const XOR = [0xfd, 0x51]
const LANE = [0xfd, 0x1d]

const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const load = (offset: number) => [0xfd, 0x00, 0, ...leb(offset)]
const store = (offset: number) => [0xfd, 0x0b, 0, ...leb(offset)]
/** A constant below 8192: signed, so that the topmost of its seven bits must stay clear. */
const int = (value: number) => [0x41, ...(value < 64 ? [value] : [(value & 127) | 128, value >> 7])]
const sized = (bytes: readonly number[]) => [...leb(bytes.length), ...bytes]
const section = (id: number, bytes: readonly number[]) => [id, ...sized(bytes)]

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]
}
