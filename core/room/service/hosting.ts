import type { ByteStream, DatagramFlow } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { HostConnection, LocalNet, RoomNetwork } from '../ports'
import type { RoomCode } from '../roomCode'
import type { HostIdentity } from '../scaffolding/identity'
import { createPlayerRegistry } from '../scaffolding/registry'
import { createScaffoldingServer, type ScaffoldingServer } from '../scaffolding/server'
import { identityCommand } from '../scaffolding/serverCommands'
import type { Attempt } from './attempt'
import { pipe } from './pipe'
import type { HostRequest } from './requests'
import { createWorld, type World, type WorldDependencies } from './world'

/** Runs a host until it fails or its attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
export type Hosting = (attempt: Attempt, order: HostRequest, chosen: ChosenGame) => Promise<never>

/** Where a running host takes the player's choice of a world; `port` is one that was made before it ran. */
export type ChosenGame = { choose?: (port: number) => void; port?: number }

export type HostingDependencies = WorldDependencies & {
  readonly roomNetwork: RoomNetwork
  readonly localNet: LocalNet
  readonly machineId: string
  readonly identityOf: (room: RoomCode) => HostIdentity
  readonly clock: Clock
  readonly log: Log
  /** Told the port where the room protocol listens; undefined when it does no more. */
  readonly onRoomPort: (port: number | undefined) => void
}

/** How many ports after a taken one are tried before any free one is good enough. */
const NEXT_PORTS = 20

export function createHosting(dependencies: HostingDependencies): Hosting {
  const { roomNetwork, localNet, log } = dependencies

  return async (attempt, order, chosen) => {
    const { signal } = attempt
    let session: HostConnection | undefined
    let roomPort = 0
    const world = createWorld(dependencies, chosen.port ?? order.gamePort, (port) => {
      attempt.update({ gamePort: port ?? 0 })
      session?.setExposed(exposed(roomPort, port))
    })
    chosen.choose = world.choose

    const notice = noticeOf(chosen.port ?? order.gamePort)
    attempt.advance('Host_GameDetecting', order.waitForGame ? { notice } : {})
    if (order.waitForGame) await world.found(signal)

    attempt.advance('Host_ScaffoldingStarting')
    const server = openServer(attempt, order, world)
    roomPort = await listen(attempt, order.scaffoldingPort, server)

    attempt.advance('Host_NetworkStarting')
    const opened = await roomNetwork.host({
      room: order.room,
      roomPort,
      signal,
      privacy: order.isPrivate ? 'private' : 'open',
      exposed: exposed(roomPort, world.port()),
      onStream: (stream, to) => void serve(stream, to.port, attempt),
      onFlow: (flow, to) => serveFlow(flow, to.port),
    })
    session = opened
    attempt.hold(opened.closed)
    opened.setExposed(exposed(roomPort, world.port()))

    attempt.advance('Host_Running', { network: opened.status() })
    const ended = sessionEnd(opened, attempt)
    return await Promise.race([world.watch(signal), ended])

    /** Members reach the room protocol without a socket of this machine between; all else goes to the world. */
    async function serve(stream: ByteStream, port: number, { hold }: Attempt): Promise<void> {
      if (port === roomPort) return hold(server.serve(stream))
      if (port !== world.port()) return stream.destroy()
      try {
        const game = await localNet.connect(port, signal)
        hold(pipe(stream, game, signal))
      } catch (cause) {
        if (!signal.aborted) log.warn('the world does not take a connection', { port, cause: String(cause) })
        stream.destroy()
      }
    }
  }

  function openServer(attempt: Attempt, order: HostRequest, world: World): ScaffoldingServer {
    const { clock, machineId, identityOf } = dependencies
    const { signal } = attempt
    const registry = createPlayerRegistry({
      host: { name: order.playerName, machineId, vendor: order.vendor },
      onChange: (players) => attempt.update({ players }),
      clock,
      signal,
    })
    attempt.update({ players: registry.list() })
    return createScaffoldingServer({
      registry,
      clock,
      log,
      signal,
      gamePort: world.port,
      extraCommands: identityCommand(identityOf(order.room)),
    })
  }

  async function listen(attempt: Attempt, wanted: number, server: ScaffoldingServer): Promise<number> {
    const ports = [...Array.from({ length: NEXT_PORTS }, (_, at) => wanted + at), 0]
    const take = (stream: ByteStream) => attempt.hold(server.serve(stream))
    try {
      const { port, closed } = await localNet.listen(
        ports.filter((port) => port < 65_536),
        take,
        attempt.signal,
      )
      attempt.hold(closed)
      dependencies.onRoomPort(port)
      attempt.signal.addEventListener('abort', () => dependencies.onRoomPort(undefined), { once: true })
      return port
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause
      throw new RoomFailure('port-in-use', `The room protocol cannot listen: ${cause.detail}`, { cause })
    }
  }

  /** UDP of voice mods: from the member to the world's port of the same number. */
  function serveFlow(flow: DatagramFlow, port: number): void {
    const local = localNet.openDatagrams(port)
    flow.onDatagram((bytes) => local.send(bytes))
    local.onDatagram((bytes) => flow.send(bytes))
    void flow.closed.then(() => local.close())
    void local.closed.then(() => flow.close())
  }
}

function noticeOf(gamePort: number | undefined): string {
  return gamePort === undefined
    ? 'Open your world to LAN: the room opens as soon as it is found.'
    : `Open your world on port ${gamePort}: the room opens as soon as it answers.`
}

function exposed(roomPort: number, gamePort: number | undefined) {
  const game = gamePort === undefined ? [] : [gamePort]
  return { tcp: [roomPort, ...game], udp: game }
}

/** Shows what happens in the network; rejects when it goes down. */
function sessionEnd(session: HostConnection, attempt: Attempt): Promise<never> {
  return new Promise((_, reject) => {
    const takeOff = session.onEvent((event) => {
      if (event.kind === 'down') {
        takeOff()
        reject(networkFailed(event.error))
      } else attempt.update({ network: session.status() })
    })
  })
}

function networkFailed(error: unknown): RoomFailure {
  if (error instanceof RoomFailure) return error
  return new RoomFailure('network-failed', 'The virtual network has failed.', { cause: error })
}
