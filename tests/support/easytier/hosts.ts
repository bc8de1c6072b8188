import { generateRoomCode, type RoomCode, readRoomCode } from '@lantern-room/protocol'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { openNetworkOf } from '#support/room/openNetworkOf'
import type { Settings } from '../process/serverProcess'
import { type RoomProcess, startRoomProcess } from '../room/roomProcess'
import { type Core, startCore, waitForPeer } from './program'
import type { RemoteMachine } from './remoteMachine'

/** Where a host or guest is put, and how it meets the others. */
export type Setting = {
  readonly inside: readonly string[]
  readonly worker: RemoteMachine
  /** Addresses of shared nodes. */
  readonly nodes: readonly string[]
  /** More of the real program's command line. */
  readonly flags?: readonly string[]
  /** Of a real host, inside the network. */
  readonly address?: string
  /** More of our service's settings. */
  readonly settings?: Settings
  /** A file for the room protocol of a real host, which `readDialogue` reads. */
  readonly record?: string
}

export type Host = {
  readonly room: RoomCode
  readonly hostname: string
  readonly roomPort: number
  readonly gamePort: number
  /** Where it is the real program. */
  readonly core?: () => Core
  /** Where it is ours. */
  readonly service?: () => RoomProcess
  kill(): Promise<void>
  /**
   * The same room again, and the same world. Resolves when it takes guests, as far as can be seen from outside.
   * @param flags more of the real program's command line than before
   */
  restart(flags?: readonly string[]): Promise<void>
  close(): Promise<void>
}

export function startHost(kind: 'ours' | 'real', at: Setting): Promise<Host> {
  return kind === 'ours' ? startOurHost(at) : startRealHost(at)
}

/** Our room service with a world. */
export async function startOurHost(at: Setting): Promise<Host> {
  const gamePort = await at.worker.run({ do: 'world' })
  const dataDir = await makeTempFolder('room-host')
  const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: at.nodes.join(','), ...at.settings }
  let service: RoomProcess
  let room: RoomCode | undefined
  const start = async () => {
    service = await startRoomProcess({ inside: at.inside, dataDir, settings })
    const text = await service.host('Alex', { gamePort: String(gamePort), ...(room && { room: room.text }) })
    const { code } = readRoomCode(text)
    if (code?.privacy === 'open') room = code
    await service.until('Host_Running')
  }
  await start()
  return {
    room: room ?? generateRoomCode(),
    hostname: 'scaffolding-mc-server-23448',
    roomPort: 23_448,
    gamePort,
    service: () => service,
    kill: () => service.kill(),
    restart: () => start(),
    async close() {
      await service.close()
      await removeFolders(dataDir)
    },
  }
}

/** The real program as a launcher starts it for a host, with the room protocol and a world beside it. */
async function startRealHost(at: Setting): Promise<Host> {
  const room = generateRoomCode()
  const roomPort = 13_448
  const hostname = `scaffolding-mc-server-${roomPort}`
  const gamePort = await at.worker.run({ do: 'world' })
  await at.worker.run({
    do: 'roomProtocol',
    port: roomPort,
    gamePort,
    ...(at.record && { record: at.record }),
  })
  const own = ['--hostname', hostname, '--ipv4', at.address ?? '10.144.144.1']
  const open = ['--tcp-whitelist', String(roomPort), '--tcp-whitelist', String(gamePort)]
  const start = async (flags: readonly string[] = []) => {
    const started = await startCore(at.inside, [...memberArgs(room, at), ...own, ...open, ...flags])
    if (at.nodes.length > 0) await waitForPeer(started)
    return started
  }
  let core = await start()
  return {
    room,
    hostname,
    roomPort,
    gamePort,
    core: () => core,
    kill: () => core.kill(),
    async restart(flags) {
      core = await start(flags)
    },
    close: () => core.kill(),
  }
}

/** What the command lines of hosts and guests have in common. */
export function memberArgs(
  room: RoomCode,
  { nodes, flags }: Pick<Setting, 'nodes' | 'flags'>,
): readonly string[] {
  return [
    ...['--network-name', openNetworkOf(room.text).name, '--network-secret', openNetworkOf(room.text).secret],
    ...['--rpc-portal', '127.0.0.1:15888', '--console-log-level', 'warn'],
    ...nodes.flatMap((url) => ['--peers', url]),
    ...(flags?.includes('--listeners') ? [] : ['--listeners', 'tcp://0.0.0.0:0', 'udp://0.0.0.0:0']),
    ...(flags ?? []),
  ]
}
