// A web page, of which `esbuild.mjs` makes one file.

declare module '*.page.html' {
  export const page: import('@lantern-room/base/http').WebPage
}
