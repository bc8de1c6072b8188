import { useId } from 'preact/hooks'
import { playerName, setPlayerName } from './playerName'
import { say } from './texts'

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
