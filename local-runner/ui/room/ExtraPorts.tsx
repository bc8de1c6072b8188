import { useState } from 'preact/hooks'
import { Refused } from './parts/Notice'
import { findServices, services, sharePorts } from './service/ports'
import { type RoomStatus, readPort, type SharedPort } from './state/records'
import { say } from './words/texts'

/** What a host shares beside the world: voice chat, a map page, the other edition. */
export function ExtraPorts({ status: { ports: shared } }: { readonly status: RoomStatus }) {
  const [text, setText] = useState('')
  const found = services.value.filter((service) => !shared.some((port) => isSame(port, service)))
  const typed = readPort(text)
  const isWrong = text.trim() !== '' && typed === undefined
  // The number makes the name one of its own, as those of a room's ports have to be.
  const share = (port: SharedPort) =>
    void sharePorts([...shared, { ...port, name: `${wordOf(port)} ${numberOf(port)}` }])
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed === undefined) return
    setText('')
    const isShared = shared.some(({ tcp, udp }) => tcp === typed || udp === typed)
    if (!isShared) share({ name: 'port', tcp: typed, udp: typed })
  }
  return (
    <details class="card" onToggle={(event) => event.currentTarget.open && void findServices()}>
      <summary>
        <h2>{say('ports')}</h2>
      </summary>
      <div class="stack">
        <p class="quiet">{say('portsText')}</p>
        {[...shared, ...found].map((port) => (
          <label key={`${port.tcp} ${port.udp}`} class="check">
            <input
              type="checkbox"
              checked={shared.some((one) => one === port)}
              onChange={(event) => {
                if (event.currentTarget.checked) share(port)
                else void sharePorts(shared.filter((one) => one !== port))
              }}
            />
            <span>
              {titleOf(port)} <small>{numberOf(port)}</small>
            </span>
          </label>
        ))}
        {shared.length + found.length === 0 && <p class="empty">{say('portsNone')}</p>}
        <form class="row" onSubmit={submit}>
          <label class="field">
            <span>{say('portsNumber')}</span>
            <input
              inputMode="numeric"
              maxLength={5}
              value={text}
              aria-invalid={isWrong}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <button type="submit">{say('portsShare')}</button>
        </form>
        {isWrong && (
          <p class="problem" role="alert">
            {say('portWrong')}
          </p>
        )}
        <Refused at="ports" />
      </div>
    </details>
  )
}

function isSame(one: SharedPort, other: SharedPort): boolean {
  return one.tcp === other.tcp && one.udp === other.udp
}

const TITLES = { voice: 'portVoice', map: 'portMap', bedrock: 'portBedrock', port: 'portOther' } as const

function wordOf({ name }: SharedPort): string {
  return /^[a-z]+/.exec(name)?.[0] ?? name
}

function numberOf({ tcp, udp }: SharedPort): number | null {
  return udp ?? tcp
}

/** In the page's language where the service has found it, else by its name. */
function titleOf(port: SharedPort): string {
  const title = Object.entries(TITLES).find(([word]) => word === wordOf(port))?.[1]
  return title ? say(title) : port.name
}
