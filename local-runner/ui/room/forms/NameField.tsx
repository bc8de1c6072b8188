import { signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { MAX_NAME } from '#core/room/profiles'
import { say } from '../words/texts'

export function NameField() {
  const id = useId()
  const { length } = [...playerName.value]
  const isWrong = isNameTooLong()
  return (
    <div class="field">
      <label for={id}>{say('playerName')}</label>
      <input
        id={id}
        class="player-name"
        maxLength={1000}
        aria-invalid={isWrong}
        autoComplete="nickname"
        value={playerName.value}
        onInput={(event) => setPlayerName(event.currentTarget.value)}
        aria-describedby={`${id}-hint`}
      />
      <p class={isWrong ? 'problem' : 'hint'} id={`${id}-hint`} aria-live="polite">
        {isWrong ? say('playerNameLong', length) : say('playerNameHint')}
      </p>
    </div>
  )
}

const KEY = 'player'

/** The name that the player last used on this computer. */
export const playerName = signal(localStorage.getItem(KEY) ?? '')

function isNameTooLong(): boolean {
  return [...playerName.value].length > MAX_NAME
}

/** Leads to a name that others could not be shown. @returns whether it is one */
export function refuseName(): boolean {
  if (isNameTooLong()) document.querySelector<HTMLElement>('.player-name')?.focus()
  return isNameTooLong()
}

function setPlayerName(name: string): void {
  localStorage.setItem(KEY, name)
  playerName.value = name
}
