import { useId, useState } from 'preact/hooks'
import { Check } from '../parts/Check'
import { HideCodes } from '../parts/HideCodes'
import { Refused } from '../parts/Notice'
import { openRoom, worlds } from '../service/store'
import { readPort } from '../state/records'
import { say } from '../words/texts'
import { AllowedField, allowedNames } from './FormExtras'
import { NameField, playerName, refuseName } from './NameField'
import { portOf, WorldList } from './WorldList'

/** Opens a room: for the chosen world, for a port, or for the first world that is found when there is none yet. */
export function HostForm() {
  const id = useId()
  const [chosen, setChosen] = useState<number | undefined>(undefined)
  const [port, setPort] = useState('')
  const [isPrivate, setPrivate] = useState(false)
  const [asksFirst, setAsksFirst] = useState(false)
  const typed = readPort(port)
  const isPortWrong = port.trim() !== '' && typed === undefined
  const [isTried, setTried] = useState(false)
  const selected = selectedPort(chosen)
  const needsChoice = typed === undefined && selected === undefined && ownWorlds().length > 1
  const submit = (event: Event) => {
    event.preventDefault()
    setTried(true)
    if (needsChoice) document.querySelector<HTMLElement>('.world input:enabled')?.focus()
    if (isPortWrong || needsChoice || refuseName()) return
    const gamePort = typed ?? selected
    void openRoom({
      playerName: playerName.value,
      gamePort,
      private: isPrivate,
      approval: asksFirst,
      allowed: allowedNames(),
    })
  }
  return (
    <form class="card" onSubmit={submit} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{say('hostTitle')}</h2>
      <p class="quiet">{say('hostText')}</p>
      <NameField />
      <WorldList chosen={selected} onChoose={setChosen} />
      {isTried && needsChoice && (
        <p class="problem" role="alert">
          {say('worldsChoose')}
        </p>
      )}
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
      <details class="more">
        <summary>{say('more')}</summary>
        <Check text={say('private')} hint={say('privateHint')} isOn={isPrivate} onChange={setPrivate} />
        <Check text={say('approval')} hint={say('approvalHint')} isOn={asksFirst} onChange={setAsksFirst} />
        <AllowedField />
        <HideCodes />
      </details>
      <Refused at="host" />
      <button type="submit" class="main">
        {say('hostButton')}
      </button>
    </form>
  )
}

function ownWorlds() {
  return worlds.value.filter(({ local }) => local)
}

/** The player's choice while it is there, else the only world of this computer, if it surely is one. */
function selectedPort(chosen: number | undefined): number | undefined {
  const own = ownWorlds()
  if (own.some((world) => portOf(world) === chosen)) return chosen
  const [only] = own
  return own.length === 1 && only?.isVerified && only.announced ? portOf(only) : undefined
}
