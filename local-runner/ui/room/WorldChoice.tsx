import { useState } from 'preact/hooks'
import { type RoomStatus, readPort } from './records'
import { chooseWorld } from './store'
import { say } from './texts'
import { WorldList } from './WorldList'

/** The worlds of a host, to change the one that is in the room. */
export function WorldChoice({ status }: { readonly status: RoomStatus }) {
  const [port, setPort] = useState('')
  const typed = readPort(port)
  const isWrong = port.trim() !== '' && typed === undefined
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed !== undefined) void chooseWorld(typed).then(() => setPort(''))
  }
  return (
    <section class="card">
      <h2>{say('worlds')}</h2>
      <WorldList chosen={status.gamePort} onChoose={(chosen) => void chooseWorld(chosen)} />
      <details>
        <summary>{say('manual')}</summary>
        <form class="row" onSubmit={submit}>
          <label class="field">
            <span>{say('manualPort')}</span>
            <input
              inputMode="numeric"
              maxLength={5}
              value={port}
              aria-invalid={isWrong}
              onInput={(event) => setPort(event.currentTarget.value)}
            />
          </label>
          <button type="submit">{say('manualUse')}</button>
        </form>
        <p class={isWrong ? 'problem' : 'hint'}>{say(isWrong ? 'portWrong' : 'manualHint')}</p>
      </details>
    </section>
  )
}
