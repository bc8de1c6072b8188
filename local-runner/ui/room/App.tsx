import { version } from '@lantern-room/base'
import { signal } from '@preact/signals'
import { ask } from '../shared/ask'
import { Button } from '../shared/Button'
import { Page } from '../shared/Page'
import { ExtraPorts } from './ExtraPorts'
import { Beginning } from './forms/Beginning'
import { playerName } from './forms/NameField'
import { SavedRooms } from './forms/SavedRooms'
import { WorldChoice } from './forms/WorldList'
import { GameHelp, Invitation } from './Invitation'
import { Guests } from './members/Guests'
import { Players } from './members/Players'
import { Networks } from './Networks'
import { GuestPorts } from './parts/GuestPorts'
import { Notice, Refused } from './parts/Notice'
import { useEnding } from './parts/useEnding'
import { StatusPanel } from './StatusPanel'
import { act, answerKept, enter, isAway, keptRole, leave, retry, status } from './service/store'
import { isEnded, type RoomStatus } from './state/records'
import { Doctor, LogViewer } from './Troubleshooting'
import { failureOf, say } from './words/texts'

export function App() {
  return (
    <Page title={say('title')} mark={<Lantern />} note={<ProgramFooter />}>
      <StatusPanel />
      <div class="parts" inert={isAway.value}>
        <Content />
        {status.value !== undefined && <Networks />}
        {status.value !== undefined && <Doctor />}
        {status.value !== undefined && <LogViewer />}
      </div>
    </Page>
  )
}

/** Whether the player has ended the program by this page. */
const hasQuit = signal(false)

/** Which program this is, and how to end it. */
function ProgramFooter() {
  const { isAsking, press, question } = useEnding(say('quitAnyway'), () =>
    act('program', async () => {
      await ask('/shutdown', { method: 'POST' })
      hasQuit.value = true
    }),
  )
  return (
    <>
      <p>{say('footer')}</p>
      <p class="row">
        <span>{say('programVersion', version)}</span>
        {status.value && !isAway.value && <Button label={say('quit')} disabled={isAsking} act={press} />}
      </p>
      {question}
      {hasQuit.value ? isAway.value && <p role="status">{say('quitDone')}</p> : <Refused at="program" />}
    </>
  )
}

/** The actions available in the current state. */
function Content() {
  const now = status.value
  if (now === undefined) return null
  if (now.state === 'Error') return <Failure status={now} />
  if (now.role === null)
    return (
      <>
        {keptRole.value !== null && <Kept role={keptRole.value} />}
        <SavedRooms />
        <Beginning />
      </>
    )
  return (
    <>
      {now.role === 'host' && now.state === 'Host_Running' && <Guests status={now} at="requests" />}
      {now.roomCode !== null && (now.role === 'guest' || now.state === 'Host_Running') && (
        <Invitation status={now} code={now.roomCode} />
      )}
      {now.role === 'host' && <WorldChoice status={now} />}
      {now.state === 'Host_Running' && <ExtraPorts status={now} />}
      {now.role === 'guest' && <GuestPorts status={now} />}
      {now.state.endsWith('_Running') || now.players.length > 0 ? <Players status={now} /> : null}
      <Guests status={now} at="others" />
      {now.state.endsWith('_Running') && <GameHelp />}
    </>
  )
}

/** The program has ended while a room was open: it can go on under the same code. */
function Kept({ role }: { readonly role: 'host' | 'guest' }) {
  const goBack = [say(role === 'host' ? 'keptOpen' : 'keptJoin'), () => void answerKept(true)] as const
  const forget = [say('keptForget'), () => void answerKept(false)] as const
  return (
    <section class="card">
      <Notice text={say(role === 'host' ? 'keptHost' : 'keptGuest')} actions={[goBack, forget]} />
      <Refused at="failure" />
    </section>
  )
}

function Lantern() {
  return (
    <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="lantern-back" />
      <path d="M11 12h10v11H11zM12 8.500h8l1 2H11zM12 24.500h8v1.500h-8z" fill="#fff" />
      <path d="M13 9a3 3 0 0 1 6 0" fill="none" stroke="#fff" stroke-width="1.500" />
      <path d="M16 14c2 2 2 6 0 6s-2-4 0-6z" fill="#e07b1f" />
    </svg>
  )
}

/** Why it failed or ended, what to do, and both ways on. */
export function Failure({ status }: { readonly status: RoomStatus }) {
  const { error, hint } = failureOf(status)
  const hasEnded = isEnded(status)
  const mayCome = status.errorCode === 'host-not-found' || status.errorCode === 'connection-lost'
  return (
    <section class={`card ${hasEnded ? 'ended' : 'failure'}`} role="alert" aria-label={error}>
      <p>{hint}</p>
      {status.errorCode === 'host-changed' && <NewHost roomCode={status.roomCode} />}
      <p class="row">
        {mayCome && <Button label={say('waitButton')} isMain act={() => retry(true)} />}
        <Button
          label={say(hasEnded ? 'joinAgain' : 'retry')}
          isMain={!hasEnded && !mayCome}
          act={() => retry()}
        />
        <Button label={say('back')} isMain={hasEnded} act={() => leave('failure')} />
      </p>
      <Refused at="failure" />
      {!hasEnded && <p class="hint">{status.errorCode}</p>}
    </section>
  )
}

/** A private room answers with another host than before: the player may know why, and join. */
function NewHost({ roomCode }: Pick<RoomStatus, 'roomCode'>) {
  if (roomCode === null) return null
  const join = () =>
    enter('failure', 'guest', { playerName: playerName.value, roomCode, acceptNewHost: true })
  return (
    <>
      <p>{say('newHostText')}</p>
      <p class="row">
        <Button label={say('newHostButton')} act={join} />
      </p>
    </>
  )
}
