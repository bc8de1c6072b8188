import type { RoomStatus } from './records'
import { failureOf } from './sentence'
import { leave, retry } from './store'
import { say } from './texts'

/** Why it failed, what to do, and both ways on. */
export function Failure({ status }: { readonly status: RoomStatus }) {
  const { error, hint } = failureOf(status)
  return (
    <section class="card failure" role="alert">
      <h2>{error}</h2>
      <p>{hint}</p>
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
