import { Refused } from './parts/Notice'
import { PortForm } from './parts/PortForm'
import { findServices, services, sharePorts } from './service/ports'
import type { RoomStatus, SharedPort } from './state/records'
import { say } from './words/texts'

/** What a host shares beside the world: voice chat, a map page, the other edition. */
export function ExtraPorts({ status: { ports: shared } }: { readonly status: RoomStatus }) {
  const found = services.value.filter((service) => !shared.some((port) => isSame(port, service)))
  // The number makes the name one of its own, as those of a room's ports have to be.
  const share = (port: SharedPort) =>
    void sharePorts([...shared, { ...port, name: `${wordOf(port)} ${numberOf(port)}` }])
  const shareTyped = (typed: number) => {
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
        <PortForm label={say('portsNumber')} button={say('portsShare')} onPort={shareTyped} />
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
