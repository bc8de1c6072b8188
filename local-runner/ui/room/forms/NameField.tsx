import { signal } from '@preact/signals'
import { MAX_NAME } from '#core/room/profiles'
import { Field } from '../../shared/Field'
import { say } from '../words/texts'

export function NameField() {
  const { length } = [...playerName.value]
  const isWrong = isNameTooLong()
  return (
    <Field
      label={say('playerName')}
      hint={isWrong ? say('playerNameLong', length) : say('playerNameHint')}
      isWrong={isWrong}
      class="player-name"
      maxLength={1000}
      autoComplete="nickname"
      value={playerName.value}
      onText={setPlayerName}
    />
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
