import { readRoomCode } from '@lantern-room/protocol/browser'
import { chinese, describeProblem } from '@lantern-room/room/client'
import { effect } from '@preact/signals'
import { useId, useState } from 'preact/hooks'
import { Check, Field, leadToWrong } from '../../shared/Field'
import { language } from '../../shared/language'
import { givenInvitation } from '../../shared/token'
import { areCodesHidden, HideCodes, shownCode } from '../parts/HideCodes'
import { Refused } from '../parts/Notice'
import { enter, status } from '../service/store'
import { keptInTab, tickKeptInTab } from '../state/draft'
import { readPort } from '../state/records'
import { say } from '../words/texts'
import { NameField, playerName } from './NameField'

/** The link of an invitation, of this program's own kind or at a page. */
const INVITATION = /(?:lantern-room:|https:\/\/[^\s#<>"]+)#?1\.[\w-]+\.[\w-]+/i

/** Whether to wait for a friend whose room is not open yet. */
const waits = tickKeptInTab('waits')
/** As typed; empty = as last time. */
const localPort = keptInTab('localPort')
/** As typed or pasted, until it has led into a room. */
const typed = keptInTab('typed')
if (givenInvitation !== undefined) typed.value = `lantern-room:#${givenInvitation}`
effect(() => {
  if (status.value?.state === 'Guest_Running') typed.value = ''
})

/** Joins a room by a code, which may stand in a whole message. */
export function JoinForm() {
  const id = useId()
  const text = typed.value
  const [isTried, setTried] = useState(false)
  const { code, problem } = readRoomCode(text)
  // The service reads what is in it.
  const invitation = INVITATION.exec(text)?.[0]
  const order = invitation ?? code?.text
  const isWrong = order === undefined && problem !== undefined && (isTried || problem !== 'empty')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (leadToWrong(event.currentTarget as HTMLElement)) return
    if (order !== undefined)
      void enter('join', 'guest', {
        playerName: playerName.value,
        roomCode: order,
        wait: waits.isOn(),
        localPort: readPort(localPort.value),
      })
    else document.getElementById(id)?.focus()
  }
  return (
    <form class="card" onSubmit={submit} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{say('joinTitle')}</h2>
      <NameField />
      <div class="field">
        <label for={id}>{say('joinCode')}</label>
        <textarea
          id={id}
          class={areCodesHidden.value ? 'code-input hidden' : 'code-input'}
          rows={2}
          maxLength={4096}
          spellcheck={false}
          autoComplete="off"
          autoCapitalize="characters"
          placeholder="U/XXXX-XXXX-XXXX-XXXX"
          value={text}
          aria-invalid={isWrong}
          aria-describedby={`${id}-hint`}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
          onKeyDown={submitOnEnter}
        />
        <p
          class={order !== undefined ? 'success' : isWrong ? 'problem' : 'hint'}
          id={`${id}-hint`}
          aria-live="polite"
        >
          {invitation
            ? say('joinInvitation')
            : code
              ? say('joinFound', shownCode(code.text))
              : isWrong
                ? describe(problem)
                : say('joinHint')}
        </p>
      </div>
      <Refused at="join" />
      <button type="submit" class="main large">
        {say('joinButton')}
      </button>
      <JoinOptions />
    </form>
  )
}

/** What most players leave as it is. */
function JoinOptions() {
  const [isOpen] = useState(waits.isOn() || localPort.value !== '')
  const isPortWrong = localPort.value.trim() !== '' && readPort(localPort.value) === undefined
  return (
    <details class="more" open={isOpen}>
      <summary>{say('more')}</summary>
      <Check label={say('wait')} hint={say('waitHint')} isOn={waits.isOn()} onChange={waits.set} />
      <Field
        label={say('localPort')}
        hint={say(isPortWrong ? 'portWrong' : 'localPortHint')}
        inputMode="numeric"
        maxLength={5}
        value={localPort.value}
        isWrong={isPortWrong}
        onText={(port) => {
          localPort.value = port
        }}
      />
      <HideCodes />
    </details>
  )
}

function describe(problem: Parameters<typeof describeProblem>[0]): string {
  return language.value === 'zh-CN' ? chinese.codeProblems[problem] : describeProblem(problem)
}

/** A code has no lines: Enter sends the form, as in a field of one line. */
function submitOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.isComposing) return
  event.preventDefault()
  if (event.currentTarget instanceof HTMLTextAreaElement) event.currentTarget.form?.requestSubmit()
}
