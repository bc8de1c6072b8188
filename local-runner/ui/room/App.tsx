import { version } from '@lantern-room/base'
import { ask } from '../shared/ask'
import { Button } from '../shared/Button'
import { Named } from '../shared/Named'
import { Page } from '../shared/Page'
import { Beginning } from './forms/Beginning'
import { SavedRooms } from './forms/SavedRooms'
import { WorldChoice } from './forms/WorldList'
import { Help } from './help/Help'
import { Invitation } from './Invitation'
import { Guests } from './members/Guests'
import { Players } from './members/Players'
import { GuestPorts } from './parts/GuestPorts'
import { Refused } from './parts/Notice'
import { useEnding } from './parts/useEnding'
import { StatusPanel } from './StatusPanel'
import { act, hasQuit, isAway, status } from './service/store'
import type { RoomStatus } from './state/records'
import { playerText, say } from './words/texts'

export function App() {
  return (
    <Page title={say('title')} mark={<Lantern />} note={<ProgramFooter />}>
      <StatusPanel />
      {!(isAway.value && hasQuit.value) && (
        <div class="parts" inert={isAway.value}>
          <Content />
          {status.value !== undefined && <Help status={status.value} />}
        </div>
      )}
    </Page>
  )
}

/** Where what is typed goes, and how to end the program. */
function ProgramFooter() {
  const { isAsking, press, question } = useEnding(say('quitAnyway'), () =>
    act('program', async () => {
      await ask('/shutdown', { method: 'POST' })
      hasQuit.value = true
    }),
  )
  return (
    <>
      <p class="row">
        {!(isAway.value && hasQuit.value) && <span class="grow">{say('footer')}</span>}
        {/* Read out with the button: which program that is. */}
        <span class="unseen">{say('programVersion', version)}</span>
        {status.value && !isAway.value && (
          <Button label={say('quit')} size="small" disabled={isAsking} act={press} />
        )}
      </p>
      {question}
      {!hasQuit.value && <Refused at="program" />}
    </>
  )
}

/** What can be done now: the code and the people first, then the world. */
function Content() {
  const now = status.value
  if (now === undefined || now.state === 'Error') return null
  if (now.role === null)
    return (
      <div class="columns beginning">
        <SavedRooms />
        <Beginning />
      </div>
    )
  const isOpen = now.roomCode !== null && now.state.endsWith('_Running')
  return (
    <>
      <Callers status={now} />
      {now.state === 'Host_Running' && <Guests status={now} at="requests" />}
      <div class="columns room">
        <div class="column">{isOpen && <Invitation status={now} code={now.roomCode ?? ''} />}</div>
        <div class="column">
          {(isOpen || now.players.length > 0) && <Players status={now} />}
          <Guests status={now} at="others" />
        </div>
        <div class="column">
          {now.role === 'host' && <WorldChoice status={now} />}
          {now.role === 'guest' && <GuestPorts status={now} />}
        </div>
      </div>
    </>
  )
}

/** For those who do not see the requests come: their place is not there before. */
function Callers({ status: { guests } }: { readonly status: RoomStatus }) {
  return (
    <p class="unseen" role="status">
      {guests
        .filter(({ state }) => state === 'waiting')
        .map(({ id, name }) => (
          <Named key={id} text={playerText('wantsIn', name)} name={name} />
        ))}
    </p>
  )
}

function Lantern() {
  return (
    <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="lantern-back" />
      <path d="M11 12h10v11H11zM12 8.500h8l1 2H11zM12 24.500h8v1.500h-8z" fill="#fff" />
      <path d="M13 9a3 3 0 0 1 6 0" fill="none" stroke="#fff" stroke-width="1.5" />
      <path d="M16 14c2 2 2 6 0 6s-2-4 0-6z" fill="#e07b1f" />
    </svg>
  )
}
