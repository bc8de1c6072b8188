import type { Log } from '@lantern-room/base'
import { type Clock, createEmitter, type Emitter } from '@lantern-room/base/async'
import type { Standing } from '@lantern-room/base/limits'
import type { ExtraPort, HostIdentity, RoomCode } from '@lantern-room/protocol'
import { guestIdOf, type Player, type Profile } from '@lantern-room/protocol'
import type { HostDecisions } from '@lantern-room/protocol/server'
import {
  createGoodbye,
  createPlayerRegistry,
  createScaffoldingServer,
  HostAdmission,
  identityCommand,
  MAX_PLAYERS,
  networkCommand,
  type OnOverShare,
  type PlayerRegistry,
  playerCommand,
  portsCommand,
  type ScaffoldingServer,
  SharedIds,
  THIS_MACHINE,
} from '@lantern-room/protocol/server'
import type { HostConnection } from '../../roomNetwork'
import { GuestControl } from '../guests/guestControl'
import { createRoomMembers, type RoomMembers } from '../guests/roomMembers'
import { createShareWatch, type GreedyMember } from '../guests/shareWatch'
import type { Attempt } from '../state/attempt'
import { type Notice, noticeOf } from '../state/notices'
import { connectionsOfGuests, createGroupNumbers, type PlayerConnection } from '../state/playerConnections'

export type HostServerOptions = {
  readonly attempt: Attempt
  readonly room: RoomCode
  readonly host: Player
  readonly decisions: HostDecisions
  readonly identity: HostIdentity
  /** Of this program, as the members of the room are told it. */
  readonly run: Uint8Array
  readonly gamePort: () => number | undefined
  readonly extraPorts: () => readonly ExtraPort[]
  /** Emits when what guests can ask for has changed. */
  readonly changes: Emitter<void>
  /** Called when as many are in the room, or in its network, as there are places; or fewer again. */
  readonly onFull: (isFull: boolean) => void
  /** Called after changes of the players with a name that several of them have. */
  readonly onSharedName: (name: string | undefined) => void
  /** Called after changes of the players with the notice about those who came with one machine id, if any. */
  readonly onSharedId: (notice: Notice | null) => void
  readonly onKnown: () => void
  readonly clock: Clock
  readonly log: Log
}

/** What a hosted room consists of. Nothing in it calls back before all of it exists. */
type HostServerParts = {
  readonly options: HostServerOptions
  readonly members: RoomMembers
  readonly registry: PlayerRegistry
  readonly ids: SharedIds
  readonly control: GuestControl
  readonly server: ScaffoldingServer
  readonly standing: () => Standing<string>
  readonly onOverShare: OnOverShare
  readonly onNetworkOverShare: OnOverShare
}

/** The room protocol of a hosted room, with its players and what the host decides about them. */
export class HostServer {
  readonly server: ScaffoldingServer
  readonly control: GuestControl
  /** Reports what the network refuses. The network itself throttles members that go on. */
  readonly onNetworkOverShare: OnOverShare
  /** Reports a refusal by the room. The network throttles repeat offenders. */
  readonly onOverShare: OnOverShare
  /** Ranks the members where there is too little for all. */
  readonly standing: () => Standing<string>
  readonly #options: HostServerOptions
  readonly #members: RoomMembers
  readonly #registry: PlayerRegistry
  readonly #ids: SharedIds
  readonly #groupNumbers = createGroupNumbers()
  #isFull = false

  private constructor(parts: HostServerParts) {
    this.server = parts.server
    this.control = parts.control
    this.onNetworkOverShare = parts.onNetworkOverShare
    this.onOverShare = parts.onOverShare
    this.standing = parts.standing
    this.#options = parts.options
    this.#members = parts.members
    this.#registry = parts.registry
    this.#ids = parts.ids
  }

  /** Serves until the attempt ends. */
  static open(options: HostServerOptions): HostServer {
    const { attempt, decisions, changes, clock, log } = options
    const { signal } = attempt
    const isPrivate = options.room.privacy === 'private'
    const playerChanges = createEmitter<readonly Profile[]>()
    const idChanges = createEmitter<void>()
    const guestChanges = createEmitter<void>()
    const replaced = createEmitter<string>()
    const greedy = createEmitter<readonly GreedyMember[]>()

    const members = createRoomMembers(decisions.bans, clock)
    const onNetworkOverShare = createShareWatch(clock, greedy.emit)
    const onOverShare = overShareOfRoom(members, onNetworkOverShare)
    const registry = createPlayerRegistry({
      host: options.host,
      isConnected: (memberId) => members.isConnected(memberId),
      onChange: playerChanges.emit,
      onReplaced: replaced.emit,
      onOverShare,
      standing: () => members.standing(),
      clock,
      signal,
    })
    const admission = HostAdmission.open({
      registry,
      decisions,
      isPrivate,
      onKnown: options.onKnown,
      clock,
      memberOf: (memberId) => members.find(memberId),
      addressOf: (memberId) => members.remoteNetworkOf(memberId),
      standing: () => members.standing(),
    })
    const ids = sharedIdsOf(options, {
      members,
      registry,
      admission,
      onOverShare,
      onReplaced: replaced.emit,
      onChange: idChanges.emit,
    })
    const goodbye = createGoodbye({
      registry,
      idOf: ids.known,
      isRemoved: (memberId) => decisions.bans.stateOfMember(memberId) === 'removed',
      clock,
    })
    const control = GuestControl.open({
      registry,
      goodbye,
      admission,
      members,
      onChange: guestChanges.emit,
      clock,
      log,
      signal,
    })
    const standing = () =>
      members.standing((memberId) => memberId === THIS_MACHINE || admission.hasPlace(memberId))
    const server = createScaffoldingServer({
      registry,
      admission,
      ids,
      clock,
      log,
      signal,
      gamePort: options.gamePort,
      onGamePort: changes.subscribe,
      extraCommands: {
        ...identityCommand(options.identity),
        ...playerCommand(ids, options.run),
        ...goodbye.commands,
        ...(isPrivate && networkCommand(admission, () => members.secret())),
      },
      offeredCommands: portsCommand(options.extraPorts),
      onOverShare,
      standing,
    })

    const host = new HostServer({
      options,
      members,
      registry,
      ids,
      control,
      server,
      standing,
      onOverShare,
      onNetworkOverShare,
    })
    playerChanges.subscribe((players) => host.#showPlayers(players))
    idChanges.subscribe(() => options.onSharedId(host.#sharedIdNotice()))
    guestChanges.subscribe(() => {
      host.#showGuests()
      changes.emit()
    })
    replaced.subscribe((memberId) => control.leaveWorld(memberId))
    greedy.subscribe((found) => host.#reportGreedy(found))
    attempt.beforeStop(goodbye.tellGuests)
    attempt.update({ players: registry.list() })
    attempt.update({ guests: control.guests() })
    return host
  }

  connect(connection: HostConnection): void {
    this.#members.connect(connection)
  }

  /** How the players are connected, including those who wait to be let in, and members without a player. */
  connections(): readonly PlayerConnection[] {
    const listed = new Set(this.control.guests().map(({ id }) => id))
    const groups = this.#members.groups()
    const groupOf = (memberId: string) => this.#groupNumbers(groups.get(memberId))
    return connectionsOfGuests(this.#members.links(), groupOf, (memberId) => [
      ...this.#registry.idsOf(memberId),
      ...this.control.admission.waitingOf(memberId).map(({ machineId }) => machineId),
      ...[guestIdOf(memberId)].filter((id) => listed.has(id)),
    ])
  }

  /** To be called when members of the network have changed, or were measured. */
  look(): void {
    this.control.look()
    this.#members.look()
    this.#showGuests()
    // The host is no member of its own.
    const isFull =
      this.#registry.list().length >= MAX_PLAYERS || this.#members.list().length >= MAX_PLAYERS - 1
    if (isFull !== this.#isFull) this.#options.onFull(isFull)
    this.#isFull = isFull
  }

  #showPlayers(players: readonly Profile[]): void {
    const { attempt, onSharedName } = this.#options
    attempt.update({ players })
    onSharedName(this.#registry.sharedName())
    this.#options.onSharedId(this.#sharedIdNotice())
    this.look()
  }

  /** As long as both are in the room. */
  #sharedIdNotice(): Notice | null {
    for (const { machineId, laterMemberId } of this.#ids.all()) {
      const [other] = this.#registry.namesOf(laterMemberId)
      if (other === undefined) continue
      if (machineId === this.#options.host.machineId) return noticeOf('copied-folder')
      const first = this.#registry.list().find((player) => player.machineId === machineId)
      if (first) return noticeOf('copied-folders', { first: first.name, other })
    }
    return null
  }

  #showGuests(): void {
    this.#options.attempt.update({
      guests: this.control.guests(),
      connections: this.connections(),
      warning: this.#members.secondHosts().length > 0 ? noticeOf('second-host') : null,
    })
  }

  #reportGreedy(members: readonly GreedyMember[]): void {
    this.#options.log.warn('guests ask for more than their share, and are refused it', {
      code: 'over-share',
      members: members.map((member) => ({
        ...member,
        players: this.#registry.namesOf(member.memberId),
      })),
    })
  }
}

/** Passes on what the room refuses, and has the network hold back who goes on. */
function overShareOfRoom(members: RoomMembers, onNetworkOverShare: OnOverShare): OnOverShare {
  return (memberId, share, denial) => {
    if (denial !== 'full') onNetworkOverShare(memberId, share)
    members.noteOverShare(memberId, denial)
  }
}

/** Tells apart the players who are in the room, or wait to be let in, with one machine id. */
function sharedIdsOf(
  { host }: HostServerOptions,
  given: {
    readonly members: RoomMembers
    readonly registry: PlayerRegistry
    readonly admission: HostAdmission
    readonly onOverShare: OnOverShare
    readonly onReplaced: (memberId: string) => void
    readonly onChange: () => void
  },
): SharedIds {
  const { members, registry, admission, onOverShare, onReplaced, onChange } = given
  return new SharedIds({
    hostId: host.machineId,
    holderOf: (machineId) => {
      const waiting = admission.waiting(machineId)
      const inside = registry.holderOf(machineId)
      return inside ?? (waiting && { name: waiting.player.name, memberId: waiting.caller.memberId })
    },
    release: (machineId) => {
      registry.release(machineId)
      admission.forgetWaiting(machineId)
    },
    isConnected: members.isConnected,
    answers: members.answers,
    onReplaced,
    onOverShare,
    onChange,
  })
}
