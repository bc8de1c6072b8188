import { useId, useState } from 'preact/hooks'
import { Check, Field, leadToWrong } from '../../shared/Field'
import { HideCodes } from '../parts/HideCodes'
import { Problem, Refused } from '../parts/Notice'
import { enter, worlds } from '../service/store'
import { keptInTab, tickKeptInTab } from '../state/draft'
import { readPort } from '../state/records'
import { say } from '../words/texts'
import { NameField, playerName } from './NameField'
import { portOf, WorldList } from './WorldList'

/** The names that the host lets in without being asked, with commas between. */
const allowedText = keptInTab('allowed')
const port = keptInTab('gamePort')
const privacy = tickKeptInTab('private')
const approval = tickKeptInTab('approval')

/** Opens a room: for the chosen world, for a port, or for the first world that is found when there is none yet. */
export function HostForm() {
  const id = useId()
  const [chosen, setChosen] = useState<number | undefined>(undefined)
  const typed = readPort(port.value)
  const isPortWrong = port.value.trim() !== '' && typed === undefined
  const [isTried, setTried] = useState(false)
  // What counts is not folded away.
  const [hasPort] = useState(port.value !== '')
  const [hasMore] = useState(privacy.isOn() || approval.isOn() || allowedText.value !== '')
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
      private: privacy.isOn(),
      approval: approval.isOn(),
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
        <details open={hasPort}>
          <summary>{say('manual')}</summary>
          <Field
            label={say('manualPort')}
            hint={say(isPortWrong ? 'portWrong' : 'manualHint')}
            isWrong={isPortWrong}
            inputMode="numeric"
            maxLength={5}
            value={port.value}
            onText={(text) => {
              port.value = text
            }}
          />
        </details>
        <details class="more" open={hasMore}>
          <summary>{say('more')}</summary>
          <Check
            label={say('private')}
            hint={say('privateHint')}
            isOn={privacy.isOn()}
            onChange={privacy.set}
          />
          <Check
            label={say('approval')}
            hint={say('approvalHint')}
            isOn={approval.isOn()}
            onChange={approval.set}
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
