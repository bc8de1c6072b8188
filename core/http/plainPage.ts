import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type { WebPage } from './webPage'

/** The style of the pages that are not built: the system's font in one column, in its colours. */
const PLAIN_STYLE = `
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto 0; padding: 0 1.5rem 2rem }
  h1 { font-size: 1.6rem; line-height: 1.2 }
  small { opacity: .7 }
  .state::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em; border-radius: 50% }
  .good::before { background: #2a9d5c }
  .bad::before { background: #d1453b }
  .idle::before { background: #8a8f98 }
`

/** A page of this style. @param content HTML, with nothing of a request in it */
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

/**
 * The page at `/`: the name of the service, its state, and a link to its API document. Text is escaped.
 * @param page.state one line
 */
export function statusPage(page: {
  readonly title: string
  readonly description: string
  readonly state: string
  readonly health: 'good' | 'bad' | 'idle'
  readonly version: string
  /** A line each: what else the operator should know. */
  readonly notes?: readonly string[]
}): string {
  const content = html`<h1>${page.title}</h1>
<p>${page.description}</p>
<p class="state ${page.health}">${page.state}</p>
<p><a href="openapi.json">API document (OpenAPI 3.1)</a></p>
${page.notes?.map((note) => html`<p><small>${note}</small></p>`)}
<p><small>Version ${page.version}</small></p>`
  return plainPage(String(html`${page.title}`), String(content)).html
}
