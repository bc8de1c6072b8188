import { MAX_NAME } from '@lantern-room/protocol/browser'
import { effect, signal } from '@preact/signals'
import { Field } from '../../shared/Field'
import { gameName } from '../service/store'
import { say } from '../words/texts'

/** Asked once: the name of last time, or that of the game, is only shown. */
export function NameField() {
  const { length } = [...playerName.value]
  const isWrong = length > MAX_NAME
  return (
    <Field
      label={say('playerName')}
      hint={
        isWrong ? say('playerNameLong', length) : say(isProposed.value ? 'playerNameGame' : 'playerNameHint')
      }
      isWrong={isWrong}
      class={isKnown.value && !isWrong ? 'player-name known' : 'player-name'}
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

/** Whether it is that of the game, which the player has not changed. */
const isProposed = signal(false)
const isKnown = signal(playerName.value !== '')

effect(() => {
  const proposed = gameName.value
  if (proposed === undefined || localStorage.getItem(KEY) !== null || playerName.peek() !== '') return
  playerName.value = proposed
  isProposed.value = true
  isKnown.value = true
})

function setPlayerName(name: string): void {
  isProposed.value = false
  localStorage.setItem(KEY, name)
  playerName.value = name
}
