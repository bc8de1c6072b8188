// Files that `esbuild.mjs` turns into modules.

declare module '*.page.html' {
  export const page: import('#core/http/webPage').WebPage
}

declare module '*.wat' {
  /** The assembled module. */
  export const wasm: Uint8Array
}
