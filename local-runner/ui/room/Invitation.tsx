import { useEffect, useState } from 'preact/hooks'
import { CopyButton } from '../shared/CopyButton'
import { areCodesHidden, HideCodes, shownCode } from './parts/HideCodes'
import { invite, type MadeInvitation, state } from './service/store'
import type { RoomStatus } from './state/records'
import { say } from './words/texts'

/** The code to send to friends; for a guest in the room, the way in, and the code below. */
export function Invitation({ status, code }: { readonly status: RoomStatus; readonly code: string }) {
  if (status.role === 'host') return <Handover status={status} code={code} />
  return <WayIn code={code} isOpen={status.hintCode !== 'world-closed'} />
}

/** What is sent to friends: a message with the code, and a QR code of it or of the page of invitations. */
function Handover({ status, code }: { readonly status: RoomStatus; readonly code: string }) {
  // Undefined while it is made, null where it cannot be: its place is there at once, so that nothing beside it moves.
  const [made, setMade] = useState<MadeInvitation | null | undefined>(undefined)
  // Where friends are met is in the link.
  const met = JSON.stringify([
    code,
    status.gamePort,
    status.network?.nodes.map(({ url, state }) => [url, state]),
  ])
  const short = `${say('messageCome')}\n${code}`
  useEffect(() => void invite(short).then((one) => setMade(one ?? null)), [met, short])
  const isOpen = made !== null && !areCodesHidden.value
  return (
    <section class="card invitation">
      <h2 class="unseen">{say('codeTitle')}</h2>
      <p class="code" translate={false}>
        {shownCode(code)}
      </p>
      {isOpen && <Scan made={made} />}
      <div class="copies">
        <CopyButton text={messageOf(code, made?.webLink ?? undefined)} label={say('copy')} size="large" />
        <CopyButton text={code} label={say('copyCode')} isMain={false} />
      </div>
      <div class="extras">
        <HideCodes isBrief />
        {isOpen && (
          <details>
            <summary>{say(made?.webLink ? 'invitationPage' : 'invitation')}</summary>
            {made && <Link made={made} />}
          </details>
        )}
      </div>
    </section>
  )
}

/** @param props.made undefined keeps its place */
function Scan({ made }: { readonly made: MadeInvitation | undefined }) {
  const image = made && `data:image/svg+xml,${encodeURIComponent(made.svg)}`
  return (
    <figure class={made?.webLink ? 'scan qr' : 'scan'}>
      <span class="square">{image && <img src={image} alt={say(made.webLink ? 'qr' : 'qrOfCode')} />}</span>
      <figcaption>{say(made?.webLink ? 'qrPageHint' : 'qrHint')}</figcaption>
    </figure>
  )
}

function Link({ made: { link, webLink } }: { readonly made: MadeInvitation }) {
  return (
    <div class="qr">
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

/**
 * The game does the rest: nothing here has to be pressed.
 * @param props.isOpen whether the world is
 */
function WayIn({ code, isOpen }: { readonly code: string; readonly isOpen: boolean }) {
  const url = isOpen && state.value?.url
  return (
    <section class="card way-in">
      {url && (
        <ol class="how">
          <li>{say('way1')}</li>
          <li>{say('way2')}</li>
          <li>{say('way3')}</li>
        </ol>
      )}
      <dl class="facts">
        <div>
          <dt>{say('codeTitle')}</dt>
          <dd>
            <span class="code small" translate={false}>
              {shownCode(code)}
            </span>
          </dd>
        </div>
        {url && (
          <div>
            <dt>{say('addressTitle')}</dt>
            <dd>
              <span class="code small" translate={false}>
                {url}
              </span>
              <CopyButton text={url} label={say('copyAddress')} isMain={false} size="small" />
            </dd>
          </div>
        )}
      </dl>
      <HideCodes isBrief />
    </section>
  )
}
