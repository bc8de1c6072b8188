import { isLoopbackAddress, networkOfAddress } from '#core/addressRanges'
import { createEmitter } from '#core/async/emitter'
import { onAbort } from '#core/async/onAbort'
import type { ByteStream, DatagramFlow } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { type ExtraPort, shownAtHost } from '../extraPorts'
import { RoomFailure } from '../failure'
import {
  type ExposedPorts,
  type HostConnection,
  type Incoming,
  type LocalNet,
  type RoomNetwork,
  THIS_MACHINE,
} from '../ports'
import type { RoomCode } from '../roomCode'
import type { AdmissionPolicy } from '../scaffolding/admission'
import { createGoodbye } from '../scaffolding/goodbye'
import type { HostIdentity } from '../scaffolding/identity'
import { portsCommand } from '../scaffolding/portsCommand'
import { createPlayerRegistry } from '../scaffolding/registry'
import { createScaffoldingServer, type ScaffoldingServer } from '../scaffolding/server'
import { identityCommand } from '../scaffolding/serverCommands'
import type { Attempt } from './attempt'
import { createGuestControl, type GuestControl, type GuestControlWithStreams } from './guestControl'
import { pipe, pipeDatagrams } from './pipe'
import { createShareWatch } from './shareWatch'
import { createStreamShares } from './streamShares'
import { untilClosed } from './untilClosed'
import { createWorld, type WorldDependencies } from './world'
import { createWorldPorts } from './worldPorts'

/** A request to host, with all defaults filled in. */
export type HostRequest = {
  readonly room: RoomCode
  readonly playerName: string
  readonly vendor: string
  /** Where the room protocol listens; the next free port when it is taken. */
  readonly scaffoldingPort: number
  /** The world's port; undefined = the first world of this machine that is announced and answers. */
  readonly gamePort: number | undefined
  /** False opens the room before there is a world. */
  readonly waitForGame: boolean
  /** Whom the host lets in. */
  readonly admission: AdmissionPolicy
  /** Shared nodes beside the configured ones. */
  readonly nodes: readonly string[]
  /** Ports of this machine that the room's members may reach, beside the world's. */
  readonly extraPorts: readonly ExtraPort[]
}

export type HostRun = {
  /** Chooses another world; the current one stays until the new one answers. */
  chooseGame(port: number): void
  /** Replaces the extra ports; connections to those that are no longer shared are closed. */
  shareOnly(ports: readonly ExtraPort[]): void
  /** undefined until the room protocol is served. */
  guests(): GuestControl | undefined
  /** Hosts until it fails or the attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
  run(): Promise<never>
}

export type Hosting = (attempt: Attempt, request: HostRequest) => HostRun

export type HostingDependencies = WorldDependencies & {
  readonly roomNetwork: RoomNetwork
  readonly localNet: LocalNet
  readonly machineIdIn: (room: RoomCode) => string
  readonly identityOf: (room: RoomCode) => HostIdentity
  readonly clock: Clock
  readonly log: Log
  /** Called with the port of the room protocol; with undefined when it no longer listens. */
  readonly onRoomPort: (port: number | undefined) => void
}

/** How many ports from the configured one on are tried before any free one. */
const PORTS_TRIED = 20

export function createHosting(dependencies: HostingDependencies): Hosting {
  return (attempt, request) => createHostRun(dependencies, attempt, request)
}

function createHostRun(dependencies: HostingDependencies, attempt: Attempt, request: HostRequest): HostRun {
  const { roomNetwork, localNet, log } = dependencies
  const { signal } = attempt
  let connection: HostConnection | undefined
  let roomPort = 0
  let control: GuestControlWithStreams | undefined
  const portChanges = createEmitter<void>()
  let namesOf = (_memberId: string): readonly string[] => []
  const onOverShare = createShareWatch(dependencies.clock, (members) =>
    log.warn('guests ask for more than their share, and are refused it', {
      code: 'over-share',
      members: members.map((member) => ({ ...member, players: namesOf(member.memberId) })),
    }),
  )
  const admitStream = createStreamShares(onOverShare)
  const worldPorts = createWorldPorts()
  let extraPorts = request.extraPorts
  const world = createWorld(dependencies, request.gamePort, (port) => {
    worldPorts.changeTo(port)
    attempt.update({ gamePort: port ?? 0 })
    // Closes what leads to the world before, also where its port stays exposed.
    connection?.setExposed(withoutWorld())
    connection?.setExposed(exposedPorts())
    portChanges.emit()
  })
  const shareOnly = (ports: readonly ExtraPort[]) => {
    extraPorts = ports
    attempt.update({ ports: shownAtHost(ports) })
    connection?.setExposed(exposedPorts())
  }
  return { chooseGame: world.choose, shareOnly, guests: () => control, run }

  async function run(): Promise<never> {
    attempt.advance(
      'Host_GameDetecting',
      request.waitForGame ? { notice: waitingNotice(world.chosen()) } : {},
    )
    attempt.update({ ports: shownAtHost(extraPorts) })
    if (request.waitForGame) await world.waitUntilFound(signal)

    attempt.advance('Host_ScaffoldingStarting')
    const server = openServer()
    roomPort = await listen(server)

    attempt.advance('Host_NetworkStarting')
    const opened = await openNetwork(server)

    attempt.advance('Host_Running', { network: opened.status() })
    opened.onEvent(() => attempt.update({ network: opened.status() }))
    return await Promise.race([world.watch(signal), untilClosed(opened, signal)])
  }

  function openServer(): ScaffoldingServer {
    const { clock, machineIdIn, identityOf } = dependencies
    const registry = createPlayerRegistry({
      host: { name: request.playerName, machineId: machineIdIn(request.room), vendor: request.vendor },
      isConnected: (memberId) =>
        memberId === THIS_MACHINE || connection?.members().some(({ id }) => id === memberId) === true,
      onChange: (players) => attempt.update({ players }),
      onOverShare,
      clock,
      signal,
    })
    namesOf = registry.namesOf
    attempt.update({ players: registry.list() })
    const goodbye = createGoodbye({ registry, clock })
    attempt.beforeStop(goodbye.tellGuests)
    control = createGuestControl({
      registry,
      goodbye,
      policy: request.admission,
      addressOf: remoteNetworkOf,
      onChange(admission) {
        attempt.update({ guests: admission.guests() })
        portChanges.emit()
      },
      clock,
      log,
    })
    return createScaffoldingServer({
      registry,
      admission: control.admission,
      clock,
      log,
      signal,
      gamePort: world.port,
      onGamePort: portChanges.subscribe,
      extraCommands: { ...identityCommand(identityOf(request.room)), ...goodbye.commands },
      offeredCommands: portsCommand(() => extraPorts),
      onOverShare,
    })
  }

  /** @returns the port. @throws RoomFailure `port-in-use` */
  async function listen(server: ScaffoldingServer): Promise<number> {
    const serve = (stream: ByteStream) => attempt.hold(server.serve(stream, THIS_MACHINE))
    try {
      const { port, closed } = await localNet.listen(portsToTry(request.scaffoldingPort), serve, signal)
      attempt.hold(closed)
      dependencies.onRoomPort(port)
      onAbort(signal, () => dependencies.onRoomPort(undefined))
      return port
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause
      throw new RoomFailure('port-in-use', `The room protocol cannot listen: ${cause.detail}`, { cause })
    }
  }

  async function openNetwork(server: ScaffoldingServer): Promise<HostConnection> {
    const opened = await roomNetwork.host({
      room: request.room,
      nodes: request.nodes,
      roomPort,
      signal,
      exposed: exposedPorts(),
      credentials: dependencies.identityOf(request.room).credentials,
      onStream: (stream, from) => void serveStream(server, stream, from),
      onFlow: serveFlow,
      onOverShare,
    })
    connection = opened
    attempt.hold(opened.closed)
    // The world may have changed while the network was being opened.
    opened.setExposed(exposedPorts())
    return opened
  }

  /** Serves the room protocol in this process, without a socket; other streams go to extra ports and to the world. */
  async function serveStream(server: ScaffoldingServer, stream: ByteStream, from: Incoming): Promise<void> {
    const { port, memberId } = from
    const isRoom = port === roomPort
    if (!mayOpen(memberId, isRoom)) return stream.destroy()
    control?.keep(memberId, !isRoom, stream.destroy, stream.closed)
    if (isRoom) return attempt.hold(server.serve(stream, memberId))
    const localPort = extraPorts.some(({ tcp }) => tcp === port) ? port : world.port()
    if (localPort === undefined || !admitStream(stream, memberId)) return stream.destroy()
    try {
      attempt.hold(pipe(stream, await localNet.connect(localPort, signal), signal))
    } catch (cause) {
      if (!signal.aborted)
        log.warn('a port of this machine refused a connection', { port: localPort, cause: String(cause) })
      stream.destroy()
    }
  }

  /** Other UDP than that to extra ports is of voice mods: it goes to the port of the same number as the world's. */
  function serveFlow(flow: DatagramFlow, { port, memberId }: Incoming): void {
    const localPort = extraPorts.some(({ udp }) => udp === port) ? port : world.port()
    if (localPort === undefined || !mayOpen(memberId, false)) {
      flow.close()
      return
    }
    control?.keep(memberId, true, flow.close, flow.closed)
    pipeDatagrams(flow, localNet.openDatagrams(localPort))
  }

  /** Members who wait to be let in may speak the room protocol only. */
  function mayOpen(memberId: string, isRoom: boolean): boolean {
    if (!control || control.admission.isBanned(memberId)) return false
    return isRoom || control.mayReachWorld(memberId)
  }

  /** The network from which a member connects directly, unless it runs on this machine. */
  function remoteNetworkOf(memberId: string): string | undefined {
    const address = connection?.members().find(({ id }) => id === memberId)?.remoteAddress
    return address === undefined || isLoopbackAddress(address) ? undefined : networkOfAddress(address)
  }

  function withoutWorld(): ExposedPorts {
    return {
      tcp: [roomPort, ...extraPorts.flatMap(({ tcp }) => tcp ?? [])],
      udp: extraPorts.flatMap(({ udp }) => udp ?? []),
    }
  }

  function exposedPorts(): ExposedPorts {
    const { tcp, udp } = withoutWorld()
    const ports = worldPorts.leadingTo()
    return { tcp: [...tcp, ...ports], udp: [...udp, ...ports] }
  }
}

function portsToTry(first: number): readonly number[] {
  const next = Array.from({ length: PORTS_TRIED }, (_, at) => first + at)
  return [...next.filter((port) => port <= 65_535), 0]
}

function waitingNotice(gamePort: number | undefined): string {
  return gamePort === undefined
    ? 'Open your world to LAN: the room opens as soon as it is found.'
    : `Open your world on port ${gamePort}: the room opens as soon as it answers.`
}
