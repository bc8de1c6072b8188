import type { Profile } from '@lantern-room/protocol/browser'
import type { PlayerConnection } from '@lantern-room/room/client'
import { Button } from '../../shared/Button'
import { language } from '../../shared/language'
import { Named } from '../../shared/Named'
import { Notice, Refused } from '../parts/Notice'
import { Face } from '../parts/Pixels'
import { useHeld } from '../parts/useHeld'
import { allowNotifications, permission } from '../service/calls'
import { answerGuest, comings, removed } from '../service/store'
import type { RoomStatus } from '../state/records'
import { playerText, relayedOf, say } from '../words/texts'

const LONG = 6

export function Players({ status }: { readonly status: RoomStatus }) {
  const { rows, holding } = useHeld(status.players, ({ machineId }) => machineId)
  return (
    <section class="people">
      <h2>
        {playerText('players')} <span class="count">{status.players.length}</span>
      </h2>
      {rows.length > 0 && (
        <ul
          class="players"
          aria-label={playerText('players')}
          // A list that scrolls has to be reached by the keyboard.
          tabIndex={rows.length > LONG ? 0 : undefined}
          {...holding}
        >
          {rows.map(({ item, isGone }) => (
            <li key={item.machineId} class={isGone ? 'gone' : ''} inert={isGone}>
              <Player player={item} status={status} />
            </li>
          ))}
        </ul>
      )}
      {rows.length < 2 && (
        <p class="ghost">{playerText(status.role === 'host' ? 'playersAlone' : 'playersNone')}</p>
      )}
      {/* Below the list, so that it does not move under a second press. */}
      <Removed status={status} />
      <Refused at="players" />
      <Comings />
      {status.role === 'host' && <Calls />}
    </section>
  )
}

function Player({ player, status }: { readonly player: Profile; readonly status: RoomStatus }) {
  const connection = status.connections.find(({ machineId }) => machineId === player.machineId)
  return (
    <>
      <Face id={player.machineId} />
      <div class="who">
        <strong>
          <bdi>{player.name}</bdi>
        </strong>
        <small>
          <span class={`kind ${player.kind}`}>{playerText(player.kind)}</span>
          {' · '}
          <bdi>{programOf(player.vendor)}</bdi> {groupIn(status, connection)}
        </small>
        <Connection connection={connection} vendor={player.vendor} />
      </div>
      {status.role === 'host' && player.kind === 'GUEST' && (
        <Button
          label={playerText('remove')}
          size="small"
          name={playerText('removeThis', player.name)}
          act={() => answerGuest('players', { ...player, id: player.machineId }, 'kick')}
        />
      )}
    </>
  )
}

/** Friends know each other by their programs, not by their versions. */
function programOf(vendor: string): string {
  return vendor.replace(/\s+v?\d[\w.+-]*/g, '')
}

/** For a host who is in the game: asks the browser to let the page call. */
function Calls() {
  if (permission.value === 'granted') return null
  if (permission.value === 'denied') return <p class="hint">{playerText('callDenied')}</p>
  return <Button label={playerText('callAllow')} size="small" act={allowNotifications} />
}

const TIME = { hour: 'numeric', minute: '2-digit' } as const

function Comings() {
  if (comings.value.length === 0) return null
  return (
    <ol class="comings" aria-live="polite" aria-label={playerText('comings')}>
      {comings.value.map(({ id, name, isIn, at }) => (
        <li key={`${id} ${at}`}>
          <time>{new Date(at).toLocaleTimeString(language.value, TIME)}</time>{' '}
          <Named text={playerText(isIn ? 'cameIn' : 'left', name)} name={name} />
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
  return <Notice role="status" text={playerText('removedNow', out.name)} name={out.name} actions={[undo]} />
}

/** The members that fill the room. */
function groupIn({ hintCode }: RoomStatus, connection: PlayerConnection | undefined): string | undefined {
  const isAsked = hintCode === 'room-full' && typeof connection?.group === 'number'
  return isAsked ? playerText('group', connection.group) : undefined
}

/** Up to which round trip and loss a game does not suffer, and up to which it can be played. */
const GOOD = { latencyMs: 100, loss: 0.02 } as const
const FAIR = { latencyMs: 250, loss: 0.08 } as const

const PATHS = { direct: 'pathDirect', lan: 'pathLan', relay: 'pathRelay' } as const

/** How well the player is connected with this machine, in a word; the rest on demand. */
function Connection({
  connection,
  vendor,
}: {
  readonly connection: PlayerConnection | undefined
  readonly vendor: string
}) {
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
      <small>
        <bdi>{vendor}</bdi>
      </small>
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
