import type { Clock } from '@lantern-room/base/async'
import { within } from '@lantern-room/base/async'
import type { GameStatus, LocalNet } from './ports'
import { raknetPing } from './raknetPing'

/** A service that was found on this machine, for which players may need a port. */
export type LocalService = {
  /** Of its own among those that were found: `bedrock`, `map2`. */
  readonly name: string
  readonly tcp: number | null
  readonly udp: number | null
  readonly title: string
}

type Dependencies = {
  readonly localNet: Pick<LocalNet, 'connect' | 'listenDatagrams' | 'openDatagrams'>
  readonly clock: Clock
  /** @default their usual port alone */
  readonly voicePorts?: VoicePorts | undefined
}

/** Gives the ports that voice mods of this machine are set to, the likeliest first. Never rejects. */
export type VoicePorts = () => Promise<readonly number[]>

const LIMIT_MS = 1000

/** The default ports of services that players add to their world. */
const BEDROCK_PORT = 19_132
const VOICE_PORT = 24_454
const MAPS = [
  { name: 'map', tcp: 8123, title: 'a map page (Dynmap’s port)' },
  { name: 'map', tcp: 8100, title: 'a map page (BlueMap’s port)' },
] as const

/**
 * Looks for services at their ports; takes at most a second. They are only proposed, never shared by themselves.
 * @example await findLocalServices({ localNet, clock }, signal) // [{ name: 'map', tcp: 8123, udp: null, title: '…' }]
 */
export async function findLocalServices(
  dependencies: Dependencies,
  signal: AbortSignal,
): Promise<LocalService[]> {
  const found = await Promise.all([
    findBedrock(dependencies),
    findVoice(dependencies, signal),
    ...MAPS.map(async ({ name, tcp, title }) =>
      (await isConnectable(dependencies, tcp, signal)) ? { name, tcp, udp: null, title } : undefined,
    ),
  ])
  return withOwnNames(found.filter((service) => service !== undefined))
}

async function findBedrock({ localNet, clock }: Dependencies): Promise<LocalService | undefined> {
  const flow = localNet.openDatagrams(BEDROCK_PORT)
  const answer = new Promise<GameStatus>((resolve) => {
    flow.onDatagram((datagram) => {
      const status = raknetPing.read(datagram)
      if (status) resolve(status)
    })
  })
  flow.send(raknetPing.request())
  try {
    const { motd, version } = await within(clock, LIMIT_MS, answer, () => new Error('no answer'))
    const title = `a world of the Bedrock edition ${version}: ${motd}`
    return { name: 'bedrock', tcp: null, udp: BEDROCK_PORT, title }
  } catch {
    return undefined
  } finally {
    flow.close()
  }
}

/** Voice mods answer only players of the world, so that the taken port is all there is to see. */
async function findVoice(
  { localNet, voicePorts }: Dependencies,
  signal: AbortSignal,
): Promise<LocalService | undefined> {
  const ports = new Set([...((await voicePorts?.()) ?? []), VOICE_PORT])
  for (const udp of ports) {
    if (!(await isTaken(localNet, udp, signal))) continue
    return { name: 'voice', tcp: null, udp, title: 'voice chat (Simple Voice Chat’s port)' }
  }
  return undefined
}

async function isTaken(
  localNet: Dependencies['localNet'],
  udpPort: number,
  signal: AbortSignal,
): Promise<boolean> {
  const trying = new AbortController()
  const isFree = await localNet.listenDatagrams(
    udpPort,
    (flow) => flow.close(),
    AbortSignal.any([signal, trying.signal]),
  )
  trying.abort(new Error('the port was only tried'))
  return !isFree
}

async function isConnectable(
  { localNet, clock }: Dependencies,
  port: number,
  signal: AbortSignal,
): Promise<boolean> {
  const connecting = localNet.connect(port, signal)
  connecting.then((stream) => stream.destroy()).catch(() => undefined)
  return within(clock, LIMIT_MS, connecting, () => new Error('no answer')).then(
    () => true,
    () => false,
  )
}

/** Numbers those that have the name of an earlier one. */
function withOwnNames(services: LocalService[]): LocalService[] {
  return services.map((service, at) => {
    const earlier = services.slice(0, at).filter(({ name }) => name === service.name).length
    return earlier === 0 ? service : { ...service, name: `${service.name}${earlier + 1}` }
  })
}
