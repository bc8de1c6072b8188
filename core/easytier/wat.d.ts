// WebAssembly text, which `esbuild.mjs` turns into a module.

declare module '*.wat' {
  /** The assembled module. */
  export const wasm: Uint8Array
}
