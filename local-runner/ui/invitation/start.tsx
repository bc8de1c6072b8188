import { CopyButton } from '../shared/CopyButton'
import { speak } from '../shared/language'
import { Named } from '../shared/Named'
import { Page } from '../shared/Page'
import { draw, startPage } from '../shared/startPage'
import { readFragment } from './readFragment'
import words from './words.json'

const say = speak(words)

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
