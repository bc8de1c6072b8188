import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** A web page as the build makes it: one file, with its styles and its script inside. */
export type WebPage = {
  readonly html: string
  /** `sha256-…` of the text of its only `<style>` and `<script>`. */
  readonly styleHash: string
  /** Undefined for a page without a script. */
  readonly scriptHash: string | undefined
  /** The script of its worker, which it loads by `?script`. */
  readonly worker?: string | undefined
  /** The script of its service worker, which it loads by `?worker`, and its manifest (JSON), by `?manifest`. */
  readonly serviceWorker?: string | undefined
  readonly manifest?: string | undefined
}

/**
 * The response with a page, and a policy by which it runs its own script only, talks to its own service only, and is shown in
 * no frame.
 * @param storeOrigins where the service lets the page send and fetch files besides, such as `https://bucket.s3.example.com`.
 *   @default none
 * @param status of HTTP. @default 200
 * @param accepted the request's `Accept-Encoding`. @default none
 * @see https://www.w3.org/TR/CSP3/ and docs/decisions.md, D101
 * @example app.get('/', () => webPageResponse(page))
 */
export function webPageResponse(
  { html, styleHash, scriptHash, worker, manifest }: WebPage,
  storeOrigins: readonly string[] = [],
  status = 200,
  accepted?: string,
): Response {
  const { body, headers } = bodyOf(html, accepted)
  const own = ["'self'", ...storeOrigins].join(' ')
  const policy = [
    "default-src 'none'",
    `script-src '${scriptHash ?? 'none'}'`,
    `style-src '${styleHash}'`,
    `connect-src ${own}`,
    `img-src ${own} blob: data:`,
    `media-src ${own} blob:`,
    ...(worker === undefined ? [] : ["worker-src 'self'"]),
    ...(manifest === undefined ? [] : ["manifest-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return new Response(body, {
    status,
    headers: {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      // A page from the cache would speak to a service that has been updated since.
      'Cache-Control': 'no-store',
    },
  })
}

/**
 * The response with the script of a page's worker, which may ask for nothing.
 * @param accepted the request's `Accept-Encoding`. @default none
 * @example page.worker === undefined ? webPageResponse(page) : workerResponse(page.worker)
 */
export function workerResponse(script: string, accepted?: string): Response {
  const { body, headers } = bodyOf(script, accepted)
  return scriptOrData(body, 'text/javascript', "default-src 'none'", headers)
}

/**
 * The response with a page's service worker, which may ask its own service.
 * @example serviceWorkerResponse(page.serviceWorker)
 */
export function serviceWorkerResponse(script: string): Response {
  return scriptOrData(script, 'text/javascript', "default-src 'none'; connect-src 'self'")
}

/**
 * The response with a page's manifest.
 * @see https://www.w3.org/TR/appmanifest/
 * @example manifestResponse(page.manifest)
 */
export function manifestResponse(manifest: string): Response {
  return scriptOrData(manifest, 'application/manifest+json', "default-src 'none'")
}

function scriptOrData(
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  policy: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    headers: {
      ...headers,
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    },
  })
}

/** Texts of pages, each compressed when it is asked for first. A program has few of them. */
const compressed = new Map<string, Uint8Array<ArrayBuffer>>()

/** A text in the form that a client takes: compressed, or as it is. */
function bodyOf(text: string, accepted = '') {
  if (!takes(accepted, 'gzip')) return { body: text, headers: { Vary: 'Accept-Encoding' } }
  const body = compressed.get(text) ?? new Uint8Array(gzipSync(text, { level: 9 }))
  compressed.set(text, body)
  return { body, headers: { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } }
}

/** @see RFC 9110, 12.5.3 */
function takes(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** The style of the pages that are not built: the system's font in one column, in its colours. */
const PLAIN_STYLE = `
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto 0; padding: 0 1.5rem 2rem }
  h1 { font-size: 1.6rem; line-height: 1.2 }
  small { opacity: .7 }
`

/**
 * A page in the style of those that are not built: one column, without a script.
 * @param title text, and `content` HTML: nothing of a request may be in either, since neither is escaped
 * @example webPageResponse(plainPage('Not found', '<h1>There is no such page</h1>'), [], 404)
 */
export function plainPage(title: string, content: string): WebPage {
  return {
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${PLAIN_STYLE}</style>
${content}
</html>
`,
    styleHash: `sha256-${createHash('sha256').update(PLAIN_STYLE).digest('base64')}`,
    scriptHash: undefined,
  }
}
