import { html, raw } from 'hono/html'
import { PLAIN_STYLE } from './plainPage'

const COLOURS = { good: '#2a9d5c', bad: '#d1453b', idle: '#8a8f98' } as const

/**
 * The page at `/`: the name of the service, its state, and a link to its API document. Text is escaped.
 * @param page.state one line
 */
export function statusPage(page: {
  readonly title: string
  readonly description: string
  readonly state: string
  readonly health: keyof typeof COLOURS
  readonly version: string
  /** A line each: what else the operator should know. */
  readonly notes?: readonly string[]
}): ReturnType<typeof html> {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<style>${raw(PLAIN_STYLE)}
  .state::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em;
    border-radius: 50%; background: ${COLOURS[page.health]} }
</style>
<h1>${page.title}</h1>
<p>${page.description}</p>
<p class="state">${page.state}</p>
<p><a href="openapi.json">API document (OpenAPI 3.1)</a></p>
${page.notes?.map((note) => html`<p><small>${note}</small></p>`)}
<p><small>Version ${page.version}</small></p>
</html>
`
}
