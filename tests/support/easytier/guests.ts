import { randomUUID } from 'node:crypto'
import { type RoomProcess, startRoomProcess } from '../room/roomProcess'
import { type Host, memberArgs, type Setting } from './hosts'
import { type Core, startCore } from './program'

export type Guest = {
  /** From the order to join until the first bytes came back from the world, in milliseconds. */
  readonly firstEchoMs: number
  /** When that order came, as `Date.now()` says it. */
  readonly orderedAt: number
  /** The world's port here. */
  readonly port: number
  readonly hostname: string
  /** Where it is the real program. */
  readonly core?: () => Core
  /** Where it is ours. */
  readonly service?: RoomProcess
  /** As a machine that loses its power. */
  kill(): Promise<void>
  close(): Promise<void>
}

const FIRST_MS = 60_000

/** @param forwards how those of the real program are told: on its command line, or by `easytier-cli` once it runs */
export function startGuest(
  kind: 'ours' | 'real',
  at: Setting,
  host: Host,
  forwards?: 'by cli',
): Promise<Guest> {
  return kind === 'ours' ? startOurGuest(at, host) : startRealGuest(at, host, forwards)
}

/** Our room service, which runs already when the order comes. */
export async function startOurGuest(at: Setting, { room }: Pick<Host, 'room'>): Promise<Guest> {
  const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: at.nodes.join(','), ...at.settings }
  const service = await startRoomProcess({ inside: at.inside, settings })
  try {
    const orderedAt = Date.now()
    const startedAt = performance.now()
    await service.join(room.text, 'Steve')
    await service.until('Guest_Running', FIRST_MS)
    const { gamePort: port } = await service.status()
    await at.worker.run({ do: 'firstEcho', port, limitMs: FIRST_MS })
    const firstEchoMs = performance.now() - startedAt
    return {
      firstEchoMs,
      orderedAt,
      port,
      hostname: 'guest',
      service,
      kill: () => service.kill(),
      close: () => service.close(),
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

const PORT = 25_565

/** The real program as a launcher starts it for a guest: a process for each room. */
async function startRealGuest(
  at: Setting,
  host: Pick<Host, 'room' | 'roomPort' | 'gamePort'>,
  forwards?: 'by cli',
): Promise<Guest> {
  const { room, roomPort, gamePort } = host
  const hostname = `guest-${randomUUID().slice(0, 8)}`
  const wanted = [
    ['tcp', roomPort, roomPort],
    ['tcp', PORT, gamePort],
    ['udp', PORT, gamePort],
  ] as const
  const flags = wanted.flatMap(([protocol, here, there]) => [
    '--port-forward',
    `${protocol}://127.0.0.1:${here}/10.144.144.1:${there}`,
  ])
  const orderedAt = Date.now()
  const startedAt = performance.now()
  const own = ['--hostname', hostname, ...(at.flags?.includes('--dhcp') ? [] : ['--ipv4', '10.144.144.2'])]
  const core = await startCore(at.inside, [
    ...memberArgs(room, at),
    ...own,
    ...(forwards === 'by cli' ? [] : flags),
  ])
  try {
    if (forwards === 'by cli')
      for (const [protocol, here, there] of wanted)
        await core.cli('port-forward', 'add', protocol, `127.0.0.1:${here}`, `10.144.144.1:${there}`)
    await at.worker.run({ do: 'firstEcho', port: PORT, limitMs: FIRST_MS })
    const firstEchoMs = performance.now() - startedAt
    const known = { firstEchoMs, orderedAt, port: PORT, hostname }
    return { ...known, core: () => core, kill: core.kill, close: core.kill }
  } catch (error) {
    await core.kill()
    throw error
  }
}
