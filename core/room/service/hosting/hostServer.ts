import { isLoopbackAddress, networkOfAddress } from '#core/addressRanges'
import type { Clock } from '#core/async/clock'
import type { Log } from '#core/log'
import type { Standing } from '#core/shares'
import type { ExtraPort } from '../../extraPorts'
import type { Member } from '../../networkStatus'
import { guestIdOf, type Player } from '../../profiles'
import type { RoomCode } from '../../roomCode'
import { type HostConnection, type OnOverShare, THIS_MACHINE } from '../../roomNetwork'
import { createGoodbye } from '../../scaffolding/goodbye'
import type { HostIdentity } from '../../scaffolding/identity'
import { networkCommand, portsCommand } from '../../scaffolding/lanternCommands'
import type { HostDecisions } from '../../scaffolding/players/hostDecisions'
import { createPlayerRegistry, MAX_PLAYERS } from '../../scaffolding/players/registry'
import { createScaffoldingServer, type ScaffoldingServer } from '../../scaffolding/server'
import { identityCommand } from '../../scaffolding/serverCommands'
import { createGuestControl, type GuestControlWithStreams } from '../guests/guestControl'
import { createSecondHosts } from '../guests/secondHosts'
import { createShareWatch } from '../guests/shareWatch'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import { connectionsOfGuests, createGroupNumbers, type PlayerConnection } from '../state/playerConnections'

/** The room protocol of a hosted room, with its players and what the host decides about them. */
export type HostServer = {
  readonly server: ScaffoldingServer
  readonly control: GuestControlWithStreams
  /** For what is refused here: who goes on is held back by the network. */
  readonly onOverShare: OnOverShare
  /** For what the network refuses, which holds back by itself. */
  readonly onNetworkOverShare: OnOverShare
  /** Of the members, where there is too little for all. */
  readonly standing: () => Standing<string>
  /** How the players are connected, also those who wait to be let in, and members without a player. */
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
  /** As many are in the room, or in its network, as there are places; or fewer again. */
  readonly onFull: (isFull: boolean) => void
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
  const groupNumbers = createGroupNumbers()
  let isFull = false
  const members = () => connection()?.members() ?? []
  const isConnected = (memberId: string) =>
    memberId === THIS_MACHINE || members().some(({ id }) => id === memberId)
  const standing = () => {
    const groups = new Map(members().map(({ id, group }) => [id, group]))
    const groupOf = (memberId: string) => groups.get(memberId) ?? memberId
    const isSettled = (memberId: string) => memberId === THIS_MACHINE || control.admission.hasPlace(memberId)
    return { groupOf, isSettled }
  }
  /** Of those who have a player, or wait to be let in. */
  const playerStanding = () => ({ ...standing(), isSettled: () => true })
  const registry = createPlayerRegistry({
    host: options.host,
    isConnected,
    onChange(players) {
      attempt.update({ players })
      look()
    },
    onOverShare,
    standing: playerStanding,
    clock,
    signal,
  })
  attempt.update({ players: registry.list() })
  const goodbye = createGoodbye({
    registry,
    isRemoved: (memberId) => control.admission.isRemoved(memberId),
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
    standing: playerStanding,
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
    standing,
  })
  return { server, control, onOverShare, onNetworkOverShare, standing, look, connections }

  function look(): void {
    control.look()
    secondHosts.look()
    showGuests()
    // The host is no member of its own.
    const isNowFull = registry.list().length >= MAX_PLAYERS || members().length >= MAX_PLAYERS - 1
    if (isNowFull !== isFull) options.onFull(isNowFull)
    isFull = isNowFull
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
    const groups = new Map(members().map(({ id, group }) => [id, group]))
    const groupOf = (memberId: string) => groupNumbers(groups.get(memberId))
    return connectionsOfGuests(connection()?.links() ?? [], groupOf, (memberId) => [
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
