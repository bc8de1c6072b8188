declare module '*.page.html' {
  export const page: import('#core/http/webPage').WebPage
}
