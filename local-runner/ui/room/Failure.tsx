import { playerName } from './NameField'
import type { RoomStatus } from './records'
import { failureOf } from './sentence'
import { joinRoom, leave, retry } from './store'
import { say } from './texts'

/** Why it failed, what to do, and both ways on. */
export function Failure({ status }: { readonly status: RoomStatus }) {
  const { error, hint } = failureOf(status)
  return (
    <section class="card failure" role="alert">
      <h2>{error}</h2>
      <p>{hint}</p>
      {status.errorCode === 'host-changed' && <NewHost roomCode={status.roomCode} />}
      <p class="row">
        <button type="button" class="main" onClick={() => void retry()}>
          {say('retry')}
        </button>
        <button type="button" onClick={() => void leave()}>
          {say('back')}
        </button>
      </p>
      <p class="hint">{status.errorCode}</p>
    </section>
  )
}

/** A private room answers with another host than before: the player may know why, and join. */
function NewHost({ roomCode }: Pick<RoomStatus, 'roomCode'>) {
  if (roomCode === null) return null
  const join = () => void joinRoom({ playerName: playerName.value, roomCode, acceptNewHost: true })
  return (
    <>
      <p>{say('newHostText')}</p>
      <p class="row">
        <button type="button" onClick={join}>
          {say('newHostButton')}
        </button>
      </p>
    </>
  )
}
