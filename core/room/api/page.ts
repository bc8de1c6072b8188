import type { RoomView } from '../service/roomState'

/** The page at `/`: what this is, its state, where its API document is. */
export function roomPage({ version, view }: { version: string; view: RoomView }): string {
  const colour = view.state === 'exception' ? '#d1453b' : view.role ? '#2a9d5c' : '#8a8f98'
  const room = view.room ? ` in room <code>${inHtml(view.room)}</code>` : ''
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Room service</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto 0; padding: 0 1.5rem }
  h1 { font-size: 1.6rem; line-height: 1.2 }
  .state::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em;
    border-radius: 50%; background: ${colour} }
  small { opacity: .7 }
</style>
<h1>Room service</h1>
<p>Hosts a world for friends, or joins theirs, by a room code. A launcher drives it.</p>
<p class="state">${inHtml(view.state)}${room}</p>
${view.failure ? `<p>${inHtml(view.failure.detail)} ${inHtml(view.failure.hint)}</p>` : ''}
<p><a href="openapi.json">API document (OpenAPI 3.1)</a></p>
<p><small>Version ${inHtml(version)}</small></p>
</html>
`
}

function inHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
