/** A web page as the build makes it: one file, with its styles and its script inside. */
export type WebPage = {
  readonly html: string
  /** `sha256-…` of the text of its only `<style>` and `<script>`. */
  readonly styleHash: string
  /** Undefined for a page without a script. */
  readonly scriptHash: string | undefined
}

/**
 * The response with a page, and a policy by which it runs its own script only, talks to its own service only, and is shown in
 * no frame.
 * @param storeOrigins where the service lets the page send and fetch files besides, such as `https://bucket.s3.example.com`
 * @see https://www.w3.org/TR/CSP3/ and docs/decisions.md, D101
 */
export function webPageResponse(
  { html, styleHash, scriptHash }: WebPage,
  storeOrigins: readonly string[] = [],
  status = 200,
): Response {
  const own = ["'self'", ...storeOrigins].join(' ')
  const policy = [
    "default-src 'none'",
    `script-src '${scriptHash ?? 'none'}'`,
    `style-src '${styleHash}'`,
    `connect-src ${own}`,
    `img-src ${own} blob: data:`,
    `media-src ${own} blob:`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return new Response(html, {
    status,
    headers: {
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
