import { isLoopbackAddress, networkOfAddress } from '#core/addressRanges'
import type { Clock } from '#core/async/clock'
import { onAbort } from '#core/async/onAbort'
import type { ByteStream } from '#core/byteStream'
import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import type { ExtraPort } from '../extraPorts'
import { RoomFailure } from '../failure'
import type { Member } from '../networkStatus'
import type { LocalNet } from '../ports'
import { guestIdOf, type Player } from '../profiles'
import type { RoomCode } from '../roomCode'
import { type HostConnection, type OnOverShare, THIS_MACHINE } from '../roomNetwork'
import { createGoodbye } from '../scaffolding/goodbye'
import type { HostDecisions } from '../scaffolding/hostDecisions'
import type { HostIdentity } from '../scaffolding/identity'
import { networkCommand } from '../scaffolding/networkCommand'
import { portsCommand } from '../scaffolding/portsCommand'
import { createPlayerRegistry } from '../scaffolding/registry'
import { createScaffoldingServer, type ScaffoldingServer } from '../scaffolding/server'
import { identityCommand } from '../scaffolding/serverCommands'
import type { Attempt } from './attempt'
import { createGuestControl, type GuestControlWithStreams } from './guestControl'
import { noticeOf } from './notices'
import { connectionsOfGuests, type PlayerConnection } from './playerConnections'
import { createSecondHosts } from './secondHosts'
import { createShareWatch } from './shareWatch'

/** The room protocol of a hosted room, with its players and what the host decides about them. */
export type HostServer = {
  readonly server: ScaffoldingServer
  readonly control: GuestControlWithStreams
  /** For what is refused here: who goes on is held back by the network. */
  readonly onOverShare: OnOverShare
  /** For what the network refuses, which holds back by itself. */
  readonly onNetworkOverShare: OnOverShare
  /** How the players are connected, also those who wait to be let in. */
  connections(): readonly PlayerConnection[]
  /** To be called when members of the network have changed, or were measured. */
  look(): void
}

export type HostServerOptions = {
  readonly attempt: Attempt
  readonly room: RoomCode
  readonly host: Player
  readonly decisions: HostDecisions
  readonly identity: HostIdentity
  /** undefined until the network is open. */
  readonly connection: () => HostConnection | undefined
  readonly gamePort: () => number | undefined
  readonly extraPorts: () => readonly ExtraPort[]
  /** What guests can ask for has changed. */
  readonly changes: { subscribe(listener: () => void): () => void; emit(): void }
  /** A player who was let in can be recognised from now on. */
  readonly onKnown: () => void
  readonly clock: Clock
  readonly log: Log
}

export function createHostServer(options: HostServerOptions): HostServer {
  const { attempt, connection, changes, clock, log } = options
  const { signal } = attempt
  const onNetworkOverShare = createShareWatch(clock, (members) =>
    log.warn('guests ask for more than their share, and are refused it', {
      code: 'over-share',
      members: members.map((member) => ({ ...member, players: registry.namesOf(member.memberId) })),
    }),
  )
  const onOverShare: OnOverShare = (memberId, share, denial) => {
    if (denial !== 'full') onNetworkOverShare(memberId, share)
    if (memberId !== THIS_MACHINE) connection()?.noteOverShare(memberId, denial)
  }
  const members = () => connection()?.members() ?? []
  const isConnected = (memberId: string) =>
    memberId === THIS_MACHINE || members().some(({ id }) => id === memberId)
  const registry = createPlayerRegistry({
    host: options.host,
    isConnected,
    onChange(players) {
      control.look()
      attempt.update({ players, connections: connections() })
    },
    onOverShare,
    clock,
    signal,
  })
  attempt.update({ players: registry.list() })
  const goodbye = createGoodbye({
    registry,
    isRemoved: (memberId) => control.admission.isBanned(memberId),
    clock,
  })
  attempt.beforeStop(goodbye.tellGuests)
  const isPrivate = options.room.privacy === 'private'
  const secondHosts = createSecondHosts({
    members,
    links: () => connection()?.links() ?? [],
    isRemoved: (memberId) => control.admission.isBanned(memberId),
    clock,
  })
  const control = createGuestControl({
    registry,
    secondHosts: secondHosts.list,
    isPrivate,
    onRemoved: () => connection()?.secret?.change(),
    goodbye,
    decisions: options.decisions,
    onKnown: options.onKnown,
    members,
    addressOf: (memberId) => remoteNetworkOf(members(), memberId),
    onChange() {
      showGuests()
      changes.emit()
    },
    clock,
    log,
    signal,
  })
  attempt.update({ guests: control.guests() })
  const server = createScaffoldingServer({
    registry,
    admission: control.admission,
    clock,
    log,
    signal,
    gamePort: options.gamePort,
    onGamePort: changes.subscribe,
    extraCommands: {
      ...identityCommand(options.identity),
      ...goodbye.commands,
      ...(isPrivate && networkCommand(control.admission, () => connection()?.secret?.current())),
    },
    offeredCommands: portsCommand(options.extraPorts),
    onOverShare,
  })
  return { server, control, onOverShare, onNetworkOverShare, connections, look }

  function look(): void {
    control.look()
    secondHosts.look()
    showGuests()
  }

  function showGuests(): void {
    attempt.update({
      guests: control.guests(),
      connections: connections(),
      warning: secondHosts.list().length > 0 ? noticeOf('second-host') : null,
    })
  }

  function connections(): readonly PlayerConnection[] {
    const listed = new Set(control.guests().map(({ id }) => id))
    return connectionsOfGuests(connection()?.links() ?? [], (memberId) => [
      ...registry.idsOf(memberId),
      ...control.admission.waitingOf(memberId).map(({ machineId }) => machineId),
      ...[guestIdOf(memberId)].filter((id) => listed.has(id)),
    ])
  }
}

/** The network from which a member connects directly, unless it runs on this machine. */
function remoteNetworkOf(members: readonly Member[], memberId: string): string | undefined {
  const address = members.find(({ id }) => id === memberId)?.remoteAddress
  return address === undefined || isLoopbackAddress(address) ? undefined : networkOfAddress(address)
}

/**
 * Serves the room protocol to programs of this machine.
 * @param first the port to try before the ones after it, and these before any free one
 * @returns the port
 * @throws RoomFailure `port-in-use`
 */
export async function listenForGuests(
  { server }: HostServer,
  first: number,
  options: {
    readonly attempt: Attempt
    readonly localNet: LocalNet
    /** Called with the port; with undefined when it no longer listens. */
    readonly onRoomPort: (port: number | undefined) => void
  },
): Promise<number> {
  const { attempt, localNet, onRoomPort } = options
  const { signal } = attempt
  const serve = (stream: ByteStream) => attempt.hold(server.serve(stream, THIS_MACHINE))
  try {
    const { port, closed } = await localNet.listen(portsToTry(first), serve, signal)
    attempt.hold(closed)
    onRoomPort(port)
    onAbort(signal, () => onRoomPort(undefined))
    return port
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    throw new RoomFailure('port-in-use', `The room protocol cannot listen: ${cause.detail}`, { cause })
  }
}

/** How many ports from the configured one on are tried before any free one. */
const PORTS_TRIED = 20

function portsToTry(first: number): readonly number[] {
  const next = Array.from({ length: PORTS_TRIED }, (_, at) => first + at)
  return [...next.filter((port) => port <= 65_535), 0]
}
