import type { PlayerConnection } from '#core/room/service/state/playerConnections'
import { relayedOf } from '../words/sentence'
import { playerText, say } from '../words/texts'

/** Up to which round trip and loss a game does not suffer, and up to which it can be played. */
const GOOD = { latencyMs: 100, loss: 0.02 } as const
const FAIR = { latencyMs: 250, loss: 0.08 } as const

const PATHS = { direct: 'pathDirect', lan: 'pathLan', relay: 'pathRelay' } as const

/** How well the player is connected with this machine, in a word; the rest on demand. */
export function Connection({ connection }: { readonly connection: PlayerConnection | undefined }) {
  if (!connection?.path) return null
  const { path, latencyMs, relayed } = connection
  const quality = qualityOf(connection)
  const words = [
    quality && playerText(quality),
    playerText(path === 'relay' ? 'relayed' : 'direct'),
    latencyMs === null ? undefined : say('ms', Math.round(latencyMs)),
  ]
  const why = relayed ? relayedOf(relayed) : undefined
  return (
    <details class="connection">
      <summary class={quality}>{words.filter(Boolean).join(' · ')}</summary>
      <small>{detailsOf(connection)}</small>
      {why && (
        <small>
          {why.text} {why.hint}
        </small>
      )}
    </details>
  )
}

function qualityOf({ latencyMs, loss }: PlayerConnection): 'good' | 'fair' | 'poor' | undefined {
  if (latencyMs === null) return undefined
  const isWithin = (limit: typeof GOOD | typeof FAIR) =>
    latencyMs <= limit.latencyMs && (loss ?? 0) <= limit.loss
  return isWithin(GOOD) ? 'good' : isWithin(FAIR) ? 'fair' : 'poor'
}

function detailsOf(connection: PlayerConnection): string {
  const { path, relayedBy, loss, sentBytesPerSecond: sent, receivedBytesPerSecond: received } = connection
  const parts = [
    path && playerText(relayedBy === 'friend' ? 'pathFriend' : PATHS[path]),
    loss ? playerText('lost', Math.round(100 * loss)) : undefined,
    sent === null ? undefined : playerText('sends', (sent / 1000).toFixed(1)),
    received === null ? undefined : playerText('receives', (received / 1000).toFixed(1)),
  ]
  return parts.filter(Boolean).join(' · ')
}
