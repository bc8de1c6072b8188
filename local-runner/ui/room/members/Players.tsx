import type { Profile } from '#core/room/profiles'
import type { PlayerConnection } from '#core/room/service/state/playerConnections'
import { Named } from '../../shared/Named'
import { Notice, Refused } from '../parts/Notice'
import { useHeld } from '../parts/useHeld'
import { allowNotifications, permission } from '../service/calls'
import { answerGuest, comings, removed } from '../service/store'
import type { RoomStatus } from '../state/records'
import { playerText } from '../words/texts'
import { Connection } from './Connection'

const LONG = 6

export function Players({ status }: { readonly status: RoomStatus }) {
  const { rows, holding } = useHeld(status.players, ({ machineId }) => machineId)
  return (
    <section class="card">
      <h2>
        {playerText('players')} <span class="count">{status.players.length}</span>
      </h2>
      {status.role === 'host' && <Calls />}
      {rows.length === 0 ? (
        <p class="empty">{playerText('playersNone')}</p>
      ) : (
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
      {/* Below the list, so that it does not move under a second press. */}
      <Removed status={status} />
      <Refused at="players" />
      <Comings />
    </section>
  )
}

function Player({ player, status }: { readonly player: Profile; readonly status: RoomStatus }) {
  const connection = status.connections.find(({ machineId }) => machineId === player.machineId)
  return (
    <>
      <span class="face" aria-hidden="true">
        {[...player.name][0]?.toUpperCase() ?? '?'}
      </span>
      <div class="who">
        <strong>
          <bdi>{player.name}</bdi>
        </strong>
        <small>
          <bdi>{player.vendor}</bdi> {groupIn(status, connection)}
        </small>
        <Connection connection={connection} />
      </div>
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
    </>
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
          <time>{new Date(at).toLocaleTimeString()}</time>{' '}
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
