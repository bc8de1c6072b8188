import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Guest, startGuest } from '#support/easytier/guests'
import { type Host, type Setting, startHost } from '#support/easytier/hosts'
import { type RemoteMachine, startRemoteMachine } from '#support/easytier/remoteMachine'
import { type Meeting, openMeeting } from '#support/namespaces/natRoom'
import { type House, type NatWorld, openNatWorld } from '#support/namespaces/natWorld'
import { withClosing } from '#support/process/closing'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'

/** Two players behind routers of their own; on the internet our shared node, and STUN servers for both programs. */
export type Neighbours = {
  readonly world: NatWorld
  readonly workers: Readonly<Record<'host' | 'guest', RemoteMachine>>
  readonly meeting: Meeting
  host(kind: 'ours' | 'real', flags?: readonly string[]): Promise<Host>
  guest(kind: 'ours' | 'real', host: Host, flags?: readonly string[]): Promise<Guest>
}

/** The real program takes STUN servers for UDP by a flag; those for TCP it knows by these names alone. */
const TCP_STUN_NAMES = [
  ...['stun.hot-chilli.net', 'stun.fitauto.ru', 'fwa.lifesizecloud.com', 'global.turn.twilio.com'],
  ...['turn.cloudflare.com', 'stun.voip.blackberry.com', 'stun.radiojar.com'],
]

/** Everything that `act` has started is ended after it, whatever happened. */
export function withNeighbours(
  houses: { readonly host: House; readonly guest: House },
  act: (neighbours: Neighbours) => Promise<void>,
): Promise<void> {
  return withClosing(async ({ keep, add }) => {
    const world = await openNatWorld(houses)
    add(world.remove)
    const meeting = keep(await openMeeting(world.public))
    const { ROOM_NODES = '', ROOM_STUN = '' } = meeting.settings
    const names = await namesFile(ROOM_STUN.split(',').map((server) => server.replace(/:\d+$/, '')))
    add(names.remove)
    const workers = {
      host: keep(startRemoteMachine(world.host.inside)),
      guest: keep(startRemoteMachine(world.guest.inside)),
    }
    const settingOf = (side: 'host' | 'guest', kind: 'ours' | 'real', flags: readonly string[]): Setting => ({
      inside: [...world[side].inside, ...(kind === 'real' ? names.before : [])],
      worker: workers[side],
      nodes: ROOM_NODES.split(','),
      flags: ['--enable-kcp-proxy', '--stun-servers', ROOM_STUN, ...flags],
      settings: { ROOM_STUN, LOG_LEVEL: 'debug' },
    })
    await act({
      world,
      workers,
      meeting,
      host: async (kind, flags = []) => keep(await startHost(kind, settingOf('host', kind, flags))),
      guest: async (kind, host, flags = []) =>
        keep(await startGuest(kind, settingOf('guest', kind, flags), host)),
    })
  })
}

/** Has a program find the names at these addresses, and nothing else on this machine be changed. */
async function namesFile(addresses: readonly string[]): Promise<{
  /** Put before a command that already runs after `ip netns exec`, which gives it mounts of its own. */
  readonly before: readonly string[]
  remove(): Promise<void>
}> {
  const folder = await makeTempFolder('room-names')
  const file = join(folder, 'hosts')
  const lines = TCP_STUN_NAMES.map((name, at) => `${addresses[at % addresses.length]} ${name}`)
  await writeFile(file, ['127.0.0.1 localhost', ...lines, ''].join('\n'))
  return {
    before: ['sh', '-ec', 'mount --bind "$0" /etc/hosts; exec "$@"', file],
    remove: () => removeFolders(folder),
  }
}
