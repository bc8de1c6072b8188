import { MAX_NAME } from '@lantern-room/protocol/browser'
import { signal } from '@preact/signals'
import { Field } from '../../shared/Field'
import { say } from '../words/texts'

export function NameField() {
  const { length } = [...playerName.value]
  const isWrong = length > MAX_NAME
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

function setPlayerName(name: string): void {
  localStorage.setItem(KEY, name)
  playerName.value = name
}
