import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import {
  createPlayerRegistry,
  createScaffoldingServer,
  MAX_PLAYERS,
  type OnOverShare,
  THIS_MACHINE,
} from '@lantern-room/protocol/server'
import { createStreamShares } from '#internal/room/service/hosting/hostTraffic'
import { GAME_PORT } from '../../../../simulator/simulationContext'
import { OPEN_SERVER } from '../../../protocol/scaffolding/openPolicy'
import { playerIdOf } from '../../../protocol/scaffolding/stayRegistered'

/** The room protocol as a host serves it, and the members' shares of its world. */
export type HostedRoom = {
  /** Resolves when the stream is closed. */
  serveProtocol(stream: ByteStream, memberId: string): Promise<void>
  /** @returns whether the member may have this stream to the world */
  admitToWorld(stream: ByteStream, memberId: string): boolean
  /** Whether this player is on the list. */
  lists(machineId: string): boolean
  /** What must not be: a member with more than its share, or a guest under another name than its own. */
  problems(): readonly string[]
}

const MAX_PLAYERS_PER_MEMBER = 4
const MAX_CONNECTIONS = 64
const MAX_STREAMS_PER_MEMBER = 64

export function createHostedRoom(options: {
  readonly clock: Clock
  readonly log: Log
  readonly isConnected: (memberId: string) => boolean
  readonly onOverShare: OnOverShare
  readonly signal: AbortSignal
}): HostedRoom {
  const onOverShare: OnOverShare = (memberId, share, denial) => {
    if (memberId !== THIS_MACHINE) options.onOverShare(memberId, share, denial)
  }
  const host = { name: 'host', machineId: playerIdOf('host'), vendor: 'simulated' }
  const registry = createPlayerRegistry({ ...options, onOverShare, host })
  const server = createScaffoldingServer({
    ...OPEN_SERVER,
    ...options,
    onOverShare,
    registry,
    gamePort: () => GAME_PORT,
    onGamePort: () => () => {},
  })
  const admit = createStreamShares(onOverShare)
  const connections = new Set<unknown>()
  const streams = new Map<string, number>()
  const count = (memberId: string, change: number) =>
    void streams.set(memberId, (streams.get(memberId) ?? 0) + change)

  return {
    serveProtocol(stream, memberId) {
      connections.add(stream)
      return server.serve(stream, memberId).finally(() => connections.delete(stream))
    },
    admitToWorld(stream, memberId) {
      if (!admit(stream, memberId)) return false
      count(memberId, 1)
      void stream.closed.then(() => count(memberId, -1))
      return true
    },
    lists: (machineId) => registry.list().some((player) => player.machineId === machineId),
    problems: () => [...tooMany(), ...renamed()],
  }

  function tooMany(): readonly string[] {
    const players = registry.list()
    const members = new Set(players.map(({ machineId }) => registry.memberOf(machineId) ?? ''))
    const most = Math.max(...[...members].map((memberId) => registry.idsOf(memberId).length))
    const open = Math.max(0, ...streams.values())
    const isOver =
      players.length > MAX_PLAYERS ||
      most > MAX_PLAYERS_PER_MEMBER ||
      connections.size > MAX_CONNECTIONS ||
      open > MAX_STREAMS_PER_MEMBER
    if (!isOver) return []
    return [
      `${players.length} players, ${most} of one member, ${connections.size} connections, ${open} streams of one member`,
    ]
  }

  function renamed(): readonly string[] {
    return registry
      .list()
      .filter(({ name, machineId }) => /^id-guest\d+$/.test(machineId) && machineId !== playerIdOf(name))
      .map(({ name, machineId }) => `the player ${machineId} is called ${name}`)
  }
}
