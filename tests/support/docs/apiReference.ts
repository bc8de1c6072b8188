/** The parts of an OpenAPI document that a reference page shows. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>
}

/**
 * The requests of a service, a line each; fields and answers are in the document itself.
 * @param document as the service serves it at `/openapi.json`
 * @returns Markdown
 */
export function renderApiReference(document: ApiDocument): string {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      // A HEAD request has the headers of the GET request and no body.
      .filter(([method]) => method !== 'head')
      .map(([method, { summary = '' }]) => `| \`${method.toUpperCase()} ${path}\` | ${cell(summary)} |`),
  )
  return ['## Requests', '', '| Request | What it does |', '|---|---|', ...rows].join('\n')
}

/** Whether a request was added to the contract is for those who read the document itself. */
function cell(text: string): string {
  const plain = text.replace(/^Additive: (.)/, (_, first: string) => first.toUpperCase())
  return plain.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}
