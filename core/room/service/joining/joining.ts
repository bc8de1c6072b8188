import { onAbort } from '@lantern-room/base/async'
import { setNewest } from '@lantern-room/base/limits'
import type { LocalNet, ProbeGame } from '@lantern-room/game/ports'
import type { HostIdentity, RoomCode } from '@lantern-room/protocol'
import type { KeptNumbers } from '../../localNumbers'
import type { GuestConnection } from '../../roomNetwork'
import type { KeptRoom } from '../kept/roomKeeper'
import type { RoomTable } from '../kept/roomTable'
import type { Attempt } from '../state/attempt'
import { type Notice, noticeOf } from '../state/notices'
import { createExtraForwards, type ExtraForwardsDependencies } from '../streams/extraForwards'
import { type Forward, openForward } from '../streams/forward'
import { awaitWorld } from './awaitWorld'
import { advanceTo, type FindHostDependencies, findHost, type HostWanted, reachHost } from './findHost'
import { GuestSelf } from './guestSelf'
import { createHostLink, type HostLink } from './hostLink'
import { keepPlaying, type PlayingDependencies } from './keepPlaying'

/** A request to join, with all defaults filled in. */
export type JoinRequest = HostWanted & {
  readonly playerName: string
  readonly vendor: string
  /** Numbers that ports of the host may have on this machine, beside those that games use. */
  readonly keepPorts: readonly number[]
  /** Where the world shall be on this machine; undefined = where it was in this room before. */
  readonly localPort: number | undefined
  /** The request to keep for a restart of the program; undefined = none. */
  readonly kept?: KeptRoom | undefined
}

/**
 * Runs a guest until it fails or its attempt ends.
 * @param numbers what the request allows, and the player since
 * @throws RoomFailure, or the reason of the attempt's signal
 */
export type Joining = (
  attempt: Attempt,
  request: JoinRequest,
  waits: boolean,
  numbers: KeptNumbers,
) => Promise<never>

export type JoiningDependencies = FindHostDependencies &
  Omit<PlayingDependencies, 'self'> &
  Pick<ExtraForwardsDependencies, 'drawNumber'> & {
    /** The machine id that the players of this room see. */
    readonly machineIdIn: (room: RoomCode) => string
    /** The run of this program, as the members of a room are told it. */
    readonly runIn: (room: RoomCode) => Uint8Array
    /** Whether this is the run of this program, or of the one that has its identity on this machine. */
    readonly isRunHere: (room: RoomCode, run: Uint8Array) => Promise<boolean>
    /** Our own key as the host of this room, and what proves this player to its host. */
    readonly identityOf: (room: RoomCode) => Pick<HostIdentity, 'publicKey' | 'guestProof'>
    readonly localNet: LocalNet
    /** Where the world of each room was on this machine. */
    readonly localPorts: RoomTable<number>
    readonly probe: ProbeGame
    /** Called with the key that the host has proved: it is the host also after a restart of this program. */
    readonly onHostKey: (key: Uint8Array) => void
  }

type InRoom = Pick<
  JoiningDependencies,
  'heartbeatMs' | 'localNet' | 'localPorts' | 'probe' | 'clock' | 'log'
> & {
  readonly request: JoinRequest
  readonly self: GuestSelf
  readonly numbers: KeptNumbers
}

export function createJoining(dependencies: JoiningDependencies): Joining {
  const { clock, localNet, localPorts, log, drawNumber, heartbeatMs, probe, announcer } = dependencies
  /** Keys that hosts have proved: a retry has the same request. */
  const hostKeys = new WeakMap<JoinRequest, Uint8Array>()
  const selfIn = createSelves(dependencies)

  return async (attempt, request, waits, numbers) => {
    const { signal } = attempt
    const { room } = request
    const self = selfIn(room)
    const wanted = { ...request, waits, hostKey: request.hostKey ?? hostKeys.get(request) }
    const connection = await findHost(dependencies, attempt, wanted, (key) => {
      hostKeys.set(request, key)
      if (!attempt.isOver()) dependencies.onHostKey(key)
    })
    const warnings = warningsOf(attempt, connection, self)
    attempt.hold(connection.closed)
    advanceTo(attempt, 'Guest_ConnectingScaffolding')
    attempt.update({ network: connection.status() })

    const link = createHostLink({
      connection,
      room,
      self,
      name: request.playerName,
      vendor: request.vendor,
      run: dependencies.runIn(room),
      onSelf: warnings.show,
      ownHostKey: dependencies.identityOf(room).publicKey,
      isRunHere: (run) => dependencies.isRunHere(room, run),
      clock,
      signal,
    })
    attempt.beforeStop(() => link.bye())
    const play = async () => {
      const inRoom = { request, self, heartbeatMs, localNet, localPorts, probe, clock, log, numbers }
      const forward = await reachWorld(inRoom, attempt, connection, link, waits)
      if (forward.missed !== undefined) warnings.otherPort(forward.missed, forward.port)
      const extras = createExtraForwards(
        { connection, localNet, log, hold: attempt.hold, numbers, drawNumber },
        (ports) => attempt.update({ ports }),
        signal,
      )
      onAbort(
        signal,
        numbers.onChange(() => void extras.reconsider()),
      )
      return keepPlaying({
        announcer,
        self,
        heartbeatMs,
        clock,
        log,
        attempt,
        connection,
        link,
        forward,
        extras,
        waits,
      })
    }
    const closed = connection.closed.then(() => Promise.reject(signal.reason))
    return await Promise.race([play(), closed])
  }
}

const MAX_SELVES = 64

/** Who this guest is in each room: after it has taken a fresh id it keeps that until the program ends. */
function createSelves({ machineIdIn, identityOf, clock }: JoiningDependencies) {
  const selves = new Map<string, GuestSelf>()
  return (room: RoomCode): GuestSelf => {
    const lasting = () => ({ machineId: machineIdIn(room), proof: identityOf(room).guestProof })
    const self = selves.get(room.text) ?? new GuestSelf(lasting(), clock)
    setNewest(selves, room.text, self, MAX_SELVES)
    return self
  }
}

/** Warns as long as others host with this code, too, or take part with the same data folder, or the world is at another port than before. */
function warningsOf(attempt: Attempt, connection: GuestConnection, self: GuestSelf) {
  let portNotice: Notice | null = null
  const current = () => {
    if (connection.isOneOfSeveral()) return noticeOf('several-hosts')
    return self.hasCopy ? noticeOf('copied-folder') : portNotice
  }
  const show = () => attempt.update({ warning: current() })
  connection.onEvent(({ kind }) => {
    if (kind === 'members') show()
  })
  show()
  return {
    show,
    otherPort(wanted: number, port: number): void {
      portNotice = noticeOf('local-port-taken', { wanted, port })
      show()
    },
  }
}

/** From the first response of the host to a forward to its world. */
async function reachWorld(
  dependencies: InRoom,
  attempt: Attempt,
  connection: GuestConnection,
  link: HostLink,
  waits: boolean,
): Promise<Forward> {
  const { signal } = attempt
  const { request, self, heartbeatMs, localNet, localPorts, probe, clock, log, numbers } = dependencies
  const first = await reachHost(clock, attempt, connection, link, waits)
  const hostPort = await awaitWorld({ attempt, connection, link, self, heartbeatMs, waits, clock }, first)
  const preferred = request.localPort ?? (await localPorts.get(request.room))
  const forward = await openForward(
    { connection, localNet, probe, clock, log, numbers },
    hostPort,
    preferred,
    signal,
  )
  attempt.hold(forward.closed)
  // The port of the first time stays the one to come back to.
  if (forward.missed === undefined) void localPorts.set(request.room, forward.port)
  return forward
}
