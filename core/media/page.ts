/**
 * The page at `/`: what this is, whether it works, where its API document is.
 * @param state.problem what keeps it from working, in one sentence; undefined when it works
 */
export function statusPage({ version, problem }: { version: string; problem: string | undefined }): string {
  const state = problem === undefined ? 'It is ready.' : `It cannot work now: ${inHtml(problem)}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Motion photo API</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto 0; padding: 0 1.5rem }
  h1 { font-size: 1.6rem; line-height: 1.2 }
  .state::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em;
    border-radius: 50%; background: ${problem === undefined ? '#2a9d5c' : '#d1453b'} }
  small { opacity: .7 }
</style>
<h1>Motion photo API</h1>
<p>A video or animated image goes in; a motion photo that phone galleries recognise comes out.</p>
<p class="state">${state}</p>
<p><a href="openapi.json">API document (OpenAPI 3.1)</a></p>
<p><small>Version ${inHtml(version)}</small></p>
</html>
`
}

function inHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
