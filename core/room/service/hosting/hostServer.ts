import type { Log, Standing } from '@lantern-room/base'
import type { Clock, Emitter } from '@lantern-room/base/async'
import type { ExtraPort } from '../../extraPorts'
import { guestIdOf, type Player, type Profile } from '../../profiles'
import type { RoomCode } from '../../roomCode'
import { type HostConnection, type OnOverShare, THIS_MACHINE } from '../../roomNetwork'
import { createGoodbye, type Goodbye } from '../../scaffolding/goodbye'
import type { HostIdentity } from '../../scaffolding/identity'
import { networkCommand, portsCommand } from '../../scaffolding/lanternCommands'
import { playerCommand } from '../../scaffolding/playerClaim'
import type { HostDecisions } from '../../scaffolding/players/hostDecisions'
import { createPlayerRegistry, MAX_PLAYERS, type PlayerRegistry } from '../../scaffolding/players/registry'
import { SharedIds } from '../../scaffolding/players/sharedIds'
import { createScaffoldingServer, type ScaffoldingServer } from '../../scaffolding/server'
import { identityCommand } from '../../scaffolding/serverCommands'
import { GuestControl } from '../guests/guestControl'
import { createRoomMembers, type RoomMembers } from '../guests/roomMembers'
import { createShareWatch } from '../guests/shareWatch'
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

/** The room protocol of a hosted room, with its players and what the host decides about them. */
export class HostServer {
  readonly server: ScaffoldingServer
  readonly control: GuestControl
  /** Reports what the network refuses. The network itself throttles members that go on. */
  readonly onNetworkOverShare: OnOverShare
  readonly #options: HostServerOptions
  readonly #members: RoomMembers
  readonly #registry: PlayerRegistry
  readonly #ids: SharedIds
  readonly #groupNumbers = createGroupNumbers()
  #isFull = false

  constructor(options: HostServerOptions) {
    const { attempt, decisions, clock } = options
    const { signal } = attempt
    this.#options = options
    const members = createRoomMembers(decisions.bans, clock)
    const registry = createPlayerRegistry({
      host: options.host,
      isConnected: (memberId) => members.isConnected(memberId),
      onChange: (players) => this.#showPlayers(players),
      onOverShare: this.onOverShare,
      standing: () => members.standing(),
      clock,
      signal,
    })
    this.#ids = this.#shareIds(registry, members)
    const goodbye = createGoodbye({
      registry,
      idOf: this.#ids.known,
      isRemoved: (memberId) => decisions.bans.stateOfMember(memberId) === 'removed',
      clock,
    })
    const isPrivate = options.room.privacy === 'private'
    this.control = new GuestControl({
      decisions,
      registry,
      goodbye,
      members,
      isPrivate,
      onChange: () => {
        this.#showGuests()
        options.changes.emit()
      },
      onKnown: options.onKnown,
      clock,
      log: options.log,
      signal,
    })
    this.#members = members
    this.#registry = registry
    this.onNetworkOverShare = this.#watchShares()
    this.server = this.#serve(goodbye, isPrivate)
    attempt.beforeStop(goodbye.tellGuests)
    attempt.update({ players: registry.list() })
    attempt.update({ guests: this.control.guests() })
  }

  /** Reports a refusal by the room. The network throttles repeat offenders. */
  readonly onOverShare: OnOverShare = (memberId, share, denial) => {
    if (denial !== 'full') this.onNetworkOverShare(memberId, share)
    this.#members.noteOverShare(memberId, denial)
  }

  /** Ranks the members where there is too little for all. */
  readonly standing = (): Standing<string> =>
    this.#members.standing(
      (memberId) => memberId === THIS_MACHINE || this.control.admission.hasPlace(memberId),
    )

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

  #shareIds(registry: PlayerRegistry, members: RoomMembers): SharedIds {
    return new SharedIds({
      hostId: this.#options.host.machineId,
      holderOf: (machineId) => {
        const waiting = this.control.admission.waiting(machineId)
        const inside = registry.holderOf(machineId)
        return inside ?? (waiting && { name: waiting.player.name, memberId: waiting.caller.memberId })
      },
      release: (machineId) => {
        registry.release(machineId)
        this.control.admission.forgetWaiting(machineId)
      },
      isConnected: members.isConnected,
      answers: members.answers,
      onOverShare: this.onOverShare,
      onChange: () => this.#options.onSharedId(this.#sharedIdNotice()),
    })
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

  #watchShares(): OnOverShare {
    const { clock, log } = this.#options
    return createShareWatch(clock, (members) =>
      log.warn('guests ask for more than their share, and are refused it', {
        code: 'over-share',
        members: members.map((member) => ({
          ...member,
          players: this.#registry.namesOf(member.memberId),
        })),
      }),
    )
  }

  #serve(goodbye: Goodbye, isPrivate: boolean): ScaffoldingServer {
    const { identity, run, gamePort, extraPorts, changes, clock, log, attempt } = this.#options
    const { admission } = this.control
    return createScaffoldingServer({
      registry: this.#registry,
      admission,
      ids: this.#ids,
      clock,
      log,
      signal: attempt.signal,
      gamePort,
      onGamePort: changes.subscribe,
      extraCommands: {
        ...identityCommand(identity),
        ...playerCommand(this.#ids, run),
        ...goodbye.commands,
        ...(isPrivate && networkCommand(admission, () => this.#members.secret())),
      },
      offeredCommands: portsCommand(extraPorts),
      onOverShare: this.onOverShare,
      standing: this.standing,
    })
  }
}
