declare module '*.wat' {
  /** The assembled module; `esbuild.mjs` makes it of the text. */
  export const wasm: Uint8Array
}
