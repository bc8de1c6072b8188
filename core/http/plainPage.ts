import { createHash } from 'node:crypto'
import type { WebPage } from './webPage'

/** The style of the pages that are not built: the system's font in one column, in its colours. */
export const PLAIN_STYLE = `
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto 0; padding: 0 1.5rem 2rem }
  h1 { font-size: 1.6rem; line-height: 1.2 }
  small { opacity: .7 }
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
