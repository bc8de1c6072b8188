import { Button } from '../shared/Button'
import { playerName } from './forms/NameField'
import { Refused } from './parts/Notice'
import { enter, leave, retry } from './service/store'
import { isEnded, type RoomStatus } from './state/records'
import { failureOf, say } from './words/texts'

/** After a removal or a refusal the host alone can change something. */
const BY_HOST: ReadonlySet<string | null> = new Set(['removed', 'refused'])
/** The host may come, or come back. */
const WAITABLE: Readonly<Record<string, 'waitButton' | 'waitFriend'>> = {
  'host-not-found': 'waitButton',
  'connection-lost': 'waitFriend',
  'room-closed': 'waitButton',
}

/** What to do about a failure or an end, and the ways on; that it happened is the headline above. */
export function Failure({ status }: { readonly status: RoomStatus }) {
  const { error, hint } = failureOf(status)
  const { errorCode } = status
  const hasEnded = isEnded(status)
  const waitWord = WAITABLE[errorCode ?? '']
  const again = errorCode === 'removed' ? undefined : say(hasEnded ? 'joinAgain' : 'retry')
  return (
    <div class={hasEnded ? 'ended' : 'failure'} role="alert" aria-label={error}>
      <p class="news">{hint}</p>
      {errorCode === 'host-changed' && <NewHost roomCode={status.roomCode} />}
      <p class="row">
        {waitWord && <Button label={say(waitWord)} isMain act={() => retry('failure', true)} />}
        {again && (
          <Button
            label={again}
            isMain={!waitWord && !BY_HOST.has(errorCode) && !hasEnded}
            act={() => retry('failure')}
          />
        )}
        <Button label={say('back')} isMain={hasEnded && !waitWord} act={() => leave('failure')} />
      </p>
      <Refused at="failure" />
      {!hasEnded && (
        <details class="codes">
          <summary>{say('details')}</summary>
          <p translate={false}>
            {errorCode}
            {status.error !== error && `: ${status.error}`}
          </p>
        </details>
      )}
    </div>
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
