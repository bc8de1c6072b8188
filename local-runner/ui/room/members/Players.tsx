import type { Profile } from '#core/room/profiles'
import type { PlayerConnection } from '#core/room/service/state/playerConnections'
import { Notice, Refused } from '../parts/Notice'
import { allowNotifications, permission } from '../service/calls'
import { answerGuest, comings, removed } from '../service/store'
import type { RoomStatus } from '../state/records'
import { relayedOf } from '../words/sentence'
import { playerText, say } from '../words/texts'

export function Players({ status }: { readonly status: RoomStatus }) {
  const connectionOf = (player: Profile) =>
    status.connections.find(({ machineId }) => machineId === player.machineId)
  return (
    <section class="card">
      <h2>
        {playerText('players')} <span class="count">{status.players.length}</span>
      </h2>
      {status.role === 'host' && <Calls />}
      <Removed status={status} />
      <Refused at="players" />
      {status.players.length === 0 ? (
        <p class="empty">{playerText('playersNone')}</p>
      ) : (
        <ul class="players">
          {status.players.map((player) => (
            <li key={player.machineId}>
              <span class="face" aria-hidden="true">
                {[...player.name][0]?.toUpperCase() ?? '?'}
              </span>
              <span class="who">
                <strong>{player.name}</strong>
                <small>
                  {[player.vendor, pathOf(connectionOf(player)), groupIn(status, connectionOf(player))]
                    .filter(Boolean)
                    .join(' · ')}
                </small>
                <Relayed connection={connectionOf(player)} />
              </span>
              <span class={`badge ${player.kind}`}>{playerText(player.kind)}</span>
              {status.role === 'host' && player.kind === 'GUEST' && (
                <button
                  type="button"
                  aria-label={playerText('removeThis', player.name)}
                  onClick={() => void answerGuest('players', { ...player, id: player.machineId }, 'kick')}
                >
                  {playerText('remove')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Comings />
    </section>
  )
}

/** For a host who is in the game: asks the browser to let the page call. */
function Calls() {
  if (permission.value === 'granted') return null
  if (permission.value === 'denied') return <p class="hint">{playerText('callDenied')}</p>
  return (
    <button type="button" onClick={() => void allowNotifications()}>
      {playerText('callAllow')}
    </button>
  )
}

function Comings() {
  return (
    <ol class="comings" aria-live="polite" aria-label={playerText('comings')}>
      {comings.value.map(({ id, name, isIn, at }) => (
        <li key={`${id} ${at}`}>
          <time>{new Date(at).toLocaleTimeString()}</time> {playerText(isIn ? 'cameIn' : 'left', name)}
        </li>
      ))}
    </ol>
  )
}

/** The last removal, which can be taken back. */
function Removed({ status }: { readonly status: RoomStatus }) {
  const out = status.guests.find(({ id, state }) => id === removed.value?.id && state === 'removed')
  if (!out) return null
  const undo = [playerText('undo'), () => void answerGuest('players', out, 'approve')] as const
  return <Notice role="status" text={playerText('removedNow', out.name)} actions={[undo]} />
}

const PATHS = { direct: 'pathDirect', lan: 'pathLan', relay: 'pathRelay' } as const

/** How the player is connected with this machine, where the service has told. */
function pathOf(connection: PlayerConnection | undefined): string | undefined {
  if (!connection?.path) return undefined
  const {
    carrier,
    relayedBy,
    latencyMs,
    loss,
    sentBytesPerSecond: sent,
    receivedBytesPerSecond: received,
  } = connection
  const parts = [
    playerText(relayedBy === 'friend' ? 'pathFriend' : PATHS[connection.path]),
    carrier === null ? undefined : playerText('by', carrier.toUpperCase()),
    latencyMs === null ? undefined : say('ms', Math.round(latencyMs)),
    loss ? playerText('lost', Math.round(100 * loss)) : undefined,
    sent === null ? undefined : playerText('sends', (sent / 1000).toFixed(1)),
    received === null ? undefined : playerText('receives', (received / 1000).toFixed(1)),
  ]
  return parts.filter(Boolean).join(' · ')
}

/** The members that fill the room. */
function groupIn({ hintCode }: RoomStatus, connection: PlayerConnection | undefined): string | undefined {
  const isAsked = hintCode === 'room-full' && typeof connection?.group === 'number'
  return isAsked ? playerText('group', connection.group) : undefined
}

/** Why only through a relay, and what would change that. */
function Relayed({ connection }: { readonly connection: PlayerConnection | undefined }) {
  if (!connection?.relayed) return null
  const { text, hint } = relayedOf(connection.relayed)
  return (
    <small class="relayed">
      {text} {hint}
    </small>
  )
}
