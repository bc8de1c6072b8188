import { signal } from '@preact/signals'
import { askJson, postJson } from '../../shared/ask'
import { Check } from '../../shared/Field'
import { Refused } from '../parts/Notice'
import { PortForm } from '../parts/PortForm'
import { act } from '../service/store'
import type { RoomStatus, SharedPort } from '../state/records'
import { say } from '../words/texts'

/** Services of this computer that could be shared, once it was searched. */
const services = signal<readonly SharedPort[]>([])

/** Takes up to a second. */
const findServices = () =>
  act('ports', async () => {
    services.value = (await askJson<{ services: SharedPort[] }>('/game/services')).services
  })

/** Shares these ports beside the world's, in place of those before. */
const sharePorts = (ports: readonly SharedPort[]) =>
  act('ports', () =>
    postJson('/room/host/ports', { ports: ports.map(({ name, tcp, udp }) => ({ name, tcp, udp })) }),
  )

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
          <Check
            key={`${port.tcp} ${port.udp}`}
            label={titleOf(port)}
            hint={String(numberOf(port))}
            isOn={shared.some((one) => one === port)}
            onChange={(isOn) => (isOn ? share(port) : void sharePorts(shared.filter((one) => one !== port)))}
          />
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
