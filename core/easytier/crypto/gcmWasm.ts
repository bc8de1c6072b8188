/// <reference path="../wat.d.ts" />
import { wasm } from './ghash.wat'

/**
 * The two loops of AES-GCM over a payload, in WebAssembly: adding the key stream, and GHASH. Node's own cipher needs
 * a new OpenSSL context for each packet, which takes several times as long as the encryption; so does GHASH in
 * JavaScript. See docs/decisions.md, D69.
 */
export type GcmWasm = {
  /** The memory of the module; `layout` has the offsets. */
  readonly memory: Uint8Array
  /** XORs the key stream into the text. @param end bytes of the text, a multiple of 16 and not 0 */
  addKeyStream(end: number): void
  /** Adds the text to the hash. @param end bytes of the text, a multiple of 16 and not 0 */
  hash(end: number): void
}

/** Maximum size of a text, without the block of lengths; larger than any packet. */
export const MAX_TEXT = 65_536
const TEXT_ROOM = MAX_TEXT + 16

/** Offsets in the memory, as in `ghash.wat`. */
export const layout = {
  /** For each of the 32 nibbles of a block, its 16 products with the hash key: 16 bytes each. */
  tables: 0,
  tablesSize: 32 * 16 * 16,
  /** The hash so far: one block. */
  hash: 8192,
  text: 8208,
  /** The block for the tag, then those for the text. */
  keyStream: 8208 + TEXT_ROOM,
} as const

/** One instance serves the whole process. @returns undefined where the runtime or the processor lacks WebAssembly with SIMD */
export function gcmWasm(): GcmWasm | undefined {
  instance ??= instantiate()
  return instance === 'unavailable' ? undefined : instance
}

let instance: GcmWasm | 'unavailable' | undefined

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer }
      readonly addKeyStream: (end: number) => void
      readonly hash: (end: number) => void
    }
  }
}

function instantiate(): GcmWasm | 'unavailable' {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm))
    const { memory, addKeyStream, hash } = exports
    return { memory: new Uint8Array(memory.buffer), addKeyStream, hash }
  } catch {
    return 'unavailable'
  }
}
