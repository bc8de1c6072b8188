import { textIn } from '@lantern-room/base'
import { gameRefusals } from '@lantern-room/room/client'
import { useEffect, useState } from 'preact/hooks'
import { CopyButton } from '../shared/CopyButton'
import { language } from '../shared/language'
import { areCodesHidden, HideCodes, shownCode } from './parts/HideCodes'
import { invite, type MadeInvitation, state } from './service/store'
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
          {shownCode(code)}
        </p>
        {status.role === 'host' && <Handover status={status} code={code} />}
        <HideCodes />
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

/** What is sent to friends: with the link that invites, and where that leads to a page, its QR code. */
function Handover({ status, code }: { readonly status: RoomStatus; readonly code: string }) {
  // Undefined while it is made, null where it cannot be: its line is there at once, so that nothing below it moves.
  const [made, setMade] = useState<MadeInvitation | null | undefined>(undefined)
  // Where friends are met is in the link.
  const met = JSON.stringify([
    code,
    status.gamePort,
    status.network?.nodes.map(({ url, state }) => [url, state]),
  ])
  useEffect(() => void invite().then((one) => setMade(one ?? null)), [met])
  return (
    <>
      <p class="row">
        <CopyButton text={messageOf(code, made?.webLink ?? undefined)} label={say('copy')} />
        <CopyButton text={code} label={say('copyCode')} isMain={false} />
      </p>
      {made !== null && !areCodesHidden.value && (
        <details>
          <summary>{say(made?.webLink ? 'invitationPage' : 'invitation')}</summary>
          {made && <Link made={made} />}
        </details>
      )}
    </>
  )
}

function Link({ made: { link, webLink, svg } }: { readonly made: MadeInvitation }) {
  return (
    <div class="qr">
      {webLink && <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={say('qr')} />}
      <p class="hint" translate={false}>
        {webLink ?? link}
      </p>
      <CopyButton text={webLink ?? link} label={say('copyLink')} isMain={false} />
    </div>
  )
}

/** A message for friends: the code on a line of its own, which programs take it, and where to get one. */
function messageOf(code: string, webLink: string | undefined): string {
  const programs = say(code.startsWith('L/') ? 'messagePrivate' : 'messageOpen')
  return [say('messageCome'), code, programs, ...(webLink ? [say('messageLink', webLink)] : [])].join('\n')
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
