import { cleanText } from '@lantern-room/base'
import { readRoomCode } from '@lantern-room/protocol/browser'
import { CopyButton } from '../shared/CopyButton'
import { speak, startPage } from '../shared/language'
import { Named } from '../shared/Named'
import { draw, Page } from '../shared/Page'
import words from './words.json'

const say = speak(words)
const MAX_TEXT = 64
const MAX_MODS = 1000

startPage(() => say('title'))
draw(<InvitationPage />)
// Another link may be opened in the same tab.
addEventListener('hashchange', () => location.reload())

/** An invitation for a friend who may have no program yet. Nothing of it is sent anywhere: a fragment stays in the browser. */
function InvitationPage() {
  const invitation = readFragment(location.hash)
  return (
    <Page title={say('title')} mark={null} note={<p>{say('footer')}</p>}>
      {invitation === undefined ? (
        <p class="card problem" role="alert">
          {say('damaged')}
        </p>
      ) : (
        <Shown {...invitation} />
      )}
    </Page>
  )
}

function Shown(invitation: NonNullable<ReturnType<typeof readFragment>>) {
  const { code, isPrivate, name, gameVersion, mods, link } = invitation
  return (
    <section class="card invitation">
      <h2>{name === '' ? say('invited') : <Named text={say('invitedBy', name)} name={name} />}</h2>
      <p class="code" translate={false}>
        {code}
      </p>
      <p class="row">
        <a class="button main" href={link}>
          {say('open')}
        </a>
        <CopyButton text={code} label={say('copy')} isMain={false} />
      </p>
      <p class="hint">{say('openHint')}</p>
      <p>{say(isPrivate ? 'programsPrivate' : 'programs')}</p>
      {gameVersion !== '' && <p>{say('gameVersion', gameVersion)}</p>}
      {mods && <p>{mods.count === 0 ? say('noMods') : say('mods', mods.count)}</p>}
      {mods && mods.names.length > 0 && <p class="quiet">{mods.names.join(', ')}</p>}
    </section>
  )
}

/**
 * What the page shows of an invitation. The program checks its signature: here anyone could have made link and page.
 * @param hash of the page's address, `#1.<body>.<proof>`
 * @returns undefined when it is damaged
 * @see docs/room-protocol.md, "Invitation"
 */
function readFragment(hash: string) {
  const [, fragment, body = ''] = /^#(1\.([\w-]+)\.[\w-]+)$/.exec(hash) ?? []
  const { c, p, g, m, l } = contentOf(body)
  const { code } = readRoomCode(shown(c))
  if (!code) return undefined
  const names = Array.isArray(l) ? l.slice(0, MAX_MODS).map(shown) : []
  return {
    code: code.text,
    isPrivate: code.privacy === 'private',
    name: shown(p),
    gameVersion: shown(g),
    mods: Array.isArray(m) && Number.isInteger(m[0]) ? { count: Number(m[0]), names } : undefined,
    link: `lantern-room:#${fragment}`,
  }
}

function contentOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const bytes = Uint8Array.from(atob(body.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
      one.charCodeAt(0),
    )
    return { ...JSON.parse(new TextDecoder().decode(bytes)) }
  } catch {
    return {}
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? cleanText(value, MAX_TEXT) : ''
}
