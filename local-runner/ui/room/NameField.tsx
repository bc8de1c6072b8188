import { signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { say } from './words/texts'

export function NameField() {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{say('playerName')}</label>
      <input
        id={id}
        maxLength={64}
        autoComplete="nickname"
        value={playerName.value}
        onInput={(event) => setPlayerName(event.currentTarget.value)}
        aria-describedby={`${id}-hint`}
      />
      <p class="hint" id={`${id}-hint`}>
        {say('playerNameHint')}
      </p>
    </div>
  )
}

const KEY = 'player'

/** The name that the player last used on this computer. */
export const playerName = signal(localStorage.getItem(KEY) ?? '')

function setPlayerName(name: string): void {
  localStorage.setItem(KEY, name)
  playerName.value = name
}
