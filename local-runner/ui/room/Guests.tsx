import { playerText } from './playerText'
import type { Guest } from './records'
import { answerGuest } from './store'

/** Who waits for the host's answer; below them who can still be let in, members without a player, and other hosts. */
export function Guests({ guests }: { readonly guests: readonly Guest[] }) {
  const waiting = guests.filter(({ state }) => state === 'waiting')
  const others = guests.filter(({ state }) => state !== 'waiting')
  return (
    <section class={`card ${waiting.length > 0 ? 'asking' : ''}`} aria-live="polite">
      <h2>{playerText('guests')}</h2>
      <ul class="players">
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
                aria-label={playerText('refuseThis')(guest.name)}
                onClick={() => void answerGuest(guest.id, 'refuse')}
              >
                {playerText('refuse')}
              </button>
            )}
            {(guest.state === 'unregistered' || guest.state === 'second-host') && (
              <button
                type="button"
                aria-label={playerText('removeThis')(guest.name)}
                onClick={() => void answerGuest(guest.id, 'kick')}
              >
                {playerText('remove')}
              </button>
            )}
            {guest.state !== 'second-host' && (
              <button
                type="button"
                class={guest.state === 'waiting' ? 'main' : ''}
                aria-label={playerText('letInThis')(guest.name)}
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
