import { language } from '../shared/language'
import { openRemembered, remembered, removeRemembered } from './store'
import { say } from './texts'

/** The sessions that this browser has made and that have not expired. */
export function Earlier() {
  if (remembered.value.length === 0) return null
  const date = new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <section class="card">
      <h2>{say('earlier')}</h2>
      <ul class="earlier">
        {remembered.value.map((one) => (
          <li key={one.id}>
            <span class="who">
              <strong>{one.name}</strong>
              <small>{say('expires')(date.format(one.expiresAt * 1000))}</small>
            </span>
            <button
              type="button"
              aria-label={say('goOnWith')(one.name)}
              onClick={() => void openRemembered(one)}
            >
              {say('goOn')}
            </button>
            <button
              type="button"
              aria-label={say('removeThis')(one.name)}
              onClick={() => void removeRemembered(one)}
            >
              {say('remove')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
