import { givenInvitation } from '../../shared/token'
import { Gate, WorldBlock } from '../parts/Pixels'
import { keptInTab } from '../state/draft'
import { say } from '../words/texts'
import { HostForm } from './HostForm'
import { JoinForm } from './JoinForm'

const TILES = [
  ['host', 'tileHost', 'tileHostText', WorldBlock],
  ['guest', 'tileGuest', 'tileGuestText', Gate],
] as const

/** What the player wants to do; it stays when a room has ended. */
const wanted = keptInTab('wanted')
if (givenInvitation !== undefined) wanted.value = 'guest'

/** Two tiles, and the form of the one that is chosen. */
export function Beginning() {
  return (
    <div class="choice">
      <div class="tiles">
        {TILES.map(([role, title, text, Picture]) => (
          <button
            key={role}
            type="button"
            class="card tile"
            aria-pressed={wanted.value === role}
            onClick={() => {
              wanted.value = role
            }}
          >
            <Picture />
            <strong>{say(title)}</strong>
            <small>{say(text)}</small>
          </button>
        ))}
      </div>
      {wanted.value === 'host' && <HostForm />}
      {wanted.value === 'guest' && <JoinForm />}
      {wanted.value === '' && (
        <section class="first" aria-label={say('firstTitle')}>
          <ol>
            <li>{say('first1')}</li>
            <li>{say('first2')}</li>
            <li>{say('first3')}</li>
          </ol>
        </section>
      )}
    </div>
  )
}
