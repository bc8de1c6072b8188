import { useEffect, useState } from 'preact/hooks'
import { textIn } from '#core/language'
import gameRefusals from '#core/room/words/gameRefusals.json'
import { language } from '../shared/language'
import { Refused } from './Notice'
import { invite, state } from './service/store'
import type { RoomStatus } from './state/records'
import { say } from './words/texts'

/** The code to send to friends; for a guest in the room, the address in the game. */
export function Invitation({ status, code }: { readonly status: RoomStatus; readonly code: string }) {
  const url = state.value?.url
  return (
    <section class="card invitation">
      <div>
        <h2>{say('codeTitle')}</h2>
        <p class={status.role === 'host' ? 'code' : 'code small'} translate={false}>
          {code}
        </p>
        {status.role === 'host' && <CopyButton text={code} label={say('copy')} />}
        {status.role === 'host' && <QrInvitation />}
        <Refused at="room" />
      </div>
      {url && (
        <div>
          <h2>{say('addressTitle')}</h2>
          <p class="code small" translate={false}>
            {url}
          </p>
          <CopyButton text={url} label={say('copyAddress')} />
          <p class="hint">{say('addressText')}</p>
        </div>
      )}
    </section>
  )
}

/** A link and a QR code to the room, made when they are asked for. */
function QrInvitation() {
  const [made, setMade] = useState<{ readonly link: string; readonly svg: string } | undefined>(undefined)
  return (
    <details
      onToggle={(event) => {
        if (event.currentTarget.open) void invite(setMade)
      }}
    >
      <summary>{say('invitation')}</summary>
      {made && (
        <div class="qr">
          <img src={`data:image/svg+xml,${encodeURIComponent(made.svg)}`} alt={say('qr')} />
          <p class="hint" translate={false}>
            {made.link}
          </p>
          <CopyButton text={made.link} label={say('copyLink')} />
        </div>
      )}
    </details>
  )
}

/** What the game itself says to players who do not get in, most of all with offline accounts. */
export function GameHelp() {
  return (
    <details class="card">
      <summary>{say('gameHelp')}</summary>
      {Object.values(gameRefusals).map(({ says, help }) => (
        <p key={says[0]}>
          <strong>{textIn(language.value, says)}</strong>
          <br />
          {textIn(language.value, help)}
        </p>
      ))}
    </details>
  )
}

const SHOWN_MS = 2500

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'copyFailed' | undefined>(undefined)
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('copyFailed'),
    )
  return (
    <span class="copy">
      <button type="button" class="main" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" class={outcome === 'copied' ? 'success' : 'problem'}>
        {outcome === undefined ? '' : say(outcome)}
      </span>
    </span>
  )
}
