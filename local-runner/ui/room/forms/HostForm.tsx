import { signal } from '@preact/signals'
import { useId, useState } from 'preact/hooks'
import { Check, Field, leadToWrong } from '../../shared/Field'
import { HideCodes } from '../parts/HideCodes'
import { Problem, Refused } from '../parts/Notice'
import { enter, worlds } from '../service/store'
import { readPort } from '../state/records'
import { say } from '../words/texts'
import { NameField, playerName } from './NameField'
import { portOf, WorldList } from './WorldList'

/** The names that the host lets in without being asked, with commas between. */
const allowedText = signal('')

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
    if (leadToWrong(event.currentTarget as HTMLElement) || needsChoice) return
    const gamePort = typed ?? selected
    void enter('host', 'host', {
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
      <NameField />
      <WorldList chosen={selected} onChoose={setChosen} />
      {isTried && needsChoice && <Problem text={say('worldsChoose')} />}
      <Refused at="host" />
      <button type="submit" class="main large">
        {say('hostButton')}
      </button>
      <div class="folds">
        <details>
          <summary>{say('manual')}</summary>
          <Field
            label={say('manualPort')}
            hint={say(isPortWrong ? 'portWrong' : 'manualHint')}
            isWrong={isPortWrong}
            inputMode="numeric"
            maxLength={5}
            value={port}
            onText={setPort}
          />
        </details>
        <details class="more">
          <summary>{say('more')}</summary>
          <Check label={say('private')} hint={say('privateHint')} isOn={isPrivate} onChange={setPrivate} />
          <Check
            label={say('approval')}
            hint={say('approvalHint')}
            isOn={asksFirst}
            onChange={setAsksFirst}
          />
          <Field
            label={say('allowed')}
            hint={say('allowedHint')}
            maxLength={20_000}
            autoComplete="off"
            value={allowedText.value}
            onText={(text) => {
              allowedText.value = text
            }}
          />
          <HideCodes />
        </details>
      </div>
    </form>
  )
}

function allowedNames(): readonly string[] {
  const names = allowedText.value.split(/[,，、;；\n]/).map((name) => name.trim())
  return names.filter((name) => name !== '')
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
