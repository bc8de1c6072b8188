import type { PlayerConnection } from '#core/room/service/state/playerConnections'
import { answerGuest, removeAll } from './service/store'
import { crowdsOf } from './state/crowds'
import type { Guest } from './state/records'
import { playerText } from './words/texts'

/** Players waiting for the host's answer; below them those who can still be let in, members without a player, and other hosts. */
export function Guests({
  guests,
  connections,
}: {
  readonly guests: readonly Guest[]
  readonly connections: readonly PlayerConnection[]
}) {
  const crowds = crowdsOf(guests, connections)
  const inCrowd = new Set(crowds.flatMap(({ ids }) => ids))
  const waiting = guests.filter(({ state }) => state === 'waiting')
  const others = guests.filter(({ id, state }) => state !== 'waiting' && !inCrowd.has(id))
  return (
    <section class={`card ${waiting.length > 0 ? 'asking' : ''}`} aria-live="polite">
      <h2>{playerText('guests')}</h2>
      <ul class="players">
        {crowds.map(({ group, ids }) => (
          <li key={group}>
            <span class="who">
              <strong>{playerText('unregisteredCount', ids.length)}</strong>
              <small>{playerText('group', group)}</small>
            </span>
            <span class="badge">{playerText('unregistered')}</span>
            <button type="button" onClick={() => void removeAll(ids)}>
              {playerText('removeAll')}
            </button>
          </li>
        ))}
        {[...waiting, ...others].map((guest) => (
          <li key={guest.id}>
            <span class="who">
              <strong>{guest.name}</strong>
              <small>{guest.vendor}</small>
            </span>
            <span class="badge">{playerText(guest.state)}</span>
            {guest.state === 'waiting' && (
              <button
                type="button"
                aria-label={playerText('refuseThis', guest.name)}
                onClick={() => void answerGuest(guest.id, 'refuse')}
              >
                {playerText('refuse')}
              </button>
            )}
            {(guest.state === 'unregistered' || guest.state === 'second-host') && (
              <button
                type="button"
                aria-label={playerText('removeThis', guest.name)}
                onClick={() => void answerGuest(guest.id, 'kick')}
              >
                {playerText('remove')}
              </button>
            )}
            {guest.state !== 'second-host' && (
              <button
                type="button"
                class={guest.state === 'waiting' ? 'main' : ''}
                aria-label={playerText('letInThis', guest.name)}
                onClick={() => void answerGuest(guest.id, 'approve')}
              >
                {playerText('letIn')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
