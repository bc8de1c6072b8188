declare module '*.wat' {
  /** The assembled module; `esbuild.mjs` assembles the text. */
  export const wasm: Uint8Array
}
