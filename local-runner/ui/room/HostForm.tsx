import { useId, useState } from 'preact/hooks'
import { playerName } from './NameField'
import { openRoom, worlds } from './service/store'
import { readPort } from './state/records'
import { portOf, WorldList } from './WorldList'
import { say } from './words/texts'

/** Opens a room: for the chosen world, for a port, or for the first world that is found. */
export function HostForm() {
  const id = useId()
  const [chosen, setChosen] = useState<number | undefined>(undefined)
  const [port, setPort] = useState('')
  const [isPrivate, setPrivate] = useState(false)
  const [asksFirst, setAsksFirst] = useState(false)
  const typed = readPort(port)
  const isPortWrong = port.trim() !== '' && typed === undefined
  const isListed = worlds.value.some((world) => world.local && portOf(world) === chosen)
  const submit = (event: Event) => {
    event.preventDefault()
    if (isPortWrong) return
    const gamePort = typed ?? (isListed ? chosen : undefined)
    void openRoom({ playerName: playerName.value, gamePort, private: isPrivate, approval: asksFirst })
  }
  return (
    <form class="card" onSubmit={submit} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{say('hostTitle')}</h2>
      <p class="quiet">{say('hostText')}</p>
      <WorldList chosen={isListed ? chosen : undefined} onChoose={setChosen} />
      <details>
        <summary>{say('manual')}</summary>
        <div class="field">
          <label for={`${id}-port`}>{say('manualPort')}</label>
          <input
            id={`${id}-port`}
            inputMode="numeric"
            maxLength={5}
            value={port}
            aria-invalid={isPortWrong}
            aria-describedby={`${id}-port-hint`}
            onInput={(event) => setPort(event.currentTarget.value)}
          />
          <p class={isPortWrong ? 'problem' : 'hint'} id={`${id}-port-hint`}>
            {say(isPortWrong ? 'portWrong' : 'manualHint')}
          </p>
        </div>
      </details>
      <label class="check">
        <input
          type="checkbox"
          checked={isPrivate}
          onChange={(event) => setPrivate(event.currentTarget.checked)}
        />
        <span>
          {say('private')} <small>{say('privateHint')}</small>
        </span>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={asksFirst}
          onChange={(event) => setAsksFirst(event.currentTarget.checked)}
        />
        <span>
          {say('approval')} <small>{say('approvalHint')}</small>
        </span>
      </label>
      <button type="submit" class="main">
        {say('hostButton')}
      </button>
    </form>
  )
}
