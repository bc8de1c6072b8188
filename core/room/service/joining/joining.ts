import { sleep } from '#core/async/clock'
import type { LocalNet, ProbeGame } from '../../ports'
import { asSeenBy, type Player } from '../../profiles'
import type { RoomCode } from '../../roomCode'
import type { GuestConnection } from '../../roomNetwork'
import type { HostedWorld } from '../../scaffolding/client'
import type { HostIdentity } from '../../scaffolding/identity'
import type { KeptRoom } from '../kept/roomKeeper'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import { createExtraForwards } from '../streams/extraForwards'
import { type Forward, openForward } from '../streams/forward'
import { noWorld } from './finalFailures'
import { advanceTo, type FindHostDependencies, findHost, type HostWanted } from './findHost'
import { createHostLink, type HostLink } from './hostLink'
import { keepPlaying, type PlayingDependencies } from './keepPlaying'

/** A request to join, with all defaults filled in. */
export type JoinRequest = HostWanted & {
  readonly playerName: string
  readonly vendor: string
  /** The order to keep for a restart of the program; undefined = none. */
  readonly kept?: KeptRoom | undefined
}

/** Runs a guest until it fails or its attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
export type Joining = (attempt: Attempt, request: JoinRequest, waits: boolean) => Promise<never>

export type JoiningDependencies = FindHostDependencies &
  Omit<PlayingDependencies, 'machineId'> & {
    /** The machine id that the players of this room see. */
    readonly machineIdIn: (room: RoomCode) => string
    /** Our own key as the host of this room, and what proves this player to its host. */
    readonly identityOf: (room: RoomCode) => Pick<HostIdentity, 'publicKey' | 'guestProof'>
    readonly localNet: LocalNet
    readonly probe: ProbeGame
    /** Called with the key that the host has proved: it is the host also after a restart of this program. */
    readonly onHostKey: (key: Uint8Array) => void
  }

type InRoom = JoiningDependencies & { readonly machineId: string }

/** How long a host that is seen may take to be reached: punching to a host that takes no relayed connection is slow. */
const REACH_MS = 60_000
/** A shorter wait is not shown to the player. */
const QUICK_MS = 4000
/** How long a guest waits for the host to open the world. */
const WORLD_MS = 60_000
const POLL_MS = 1000

export function createJoining(dependencies: JoiningDependencies): Joining {
  const { clock, localNet, log } = dependencies
  /** Keys that hosts have proved: a retry has the same request. */
  const hostKeys = new WeakMap<JoinRequest, Uint8Array>()

  return async (attempt, request, waits) => {
    const { signal } = attempt
    const machineId = dependencies.machineIdIn(request.room)
    const inRoom = { ...dependencies, machineId }
    const wanted = { ...request, waits, hostKey: request.hostKey ?? hostKeys.get(request) }
    const connection = await findHost(dependencies, attempt, wanted, (key) => {
      hostKeys.set(request, key)
      if (!attempt.isOver()) dependencies.onHostKey(key)
    })
    warnOfSeveral(attempt, connection)
    attempt.hold(connection.closed)
    advanceTo(attempt, 'Guest_ConnectingScaffolding')
    attempt.update({ network: connection.status() })

    const player: Player = { name: request.playerName, machineId, vendor: request.vendor }
    const { publicKey, guestProof } = dependencies.identityOf(request.room)
    const link = createHostLink({
      connection,
      room: request.room,
      player,
      ownHostKey: publicKey,
      guestProof,
      clock,
      signal,
    })
    attempt.beforeStop(() => link.bye())
    const play = async () => {
      const forward = await reachWorld(inRoom, attempt, connection, link)
      const extras = createExtraForwards(
        { connection, localNet, log, hold: attempt.hold },
        (ports) => attempt.update({ ports }),
        signal,
      )
      return keepPlaying(inRoom, { attempt, connection, link, forward, extras })
    }
    const closed = connection.closed.then(() => Promise.reject(signal.reason))
    return await Promise.race([play(), closed])
  }
}

/** Warns as long as others host with this code, too. */
function warnOfSeveral(attempt: Attempt, connection: GuestConnection): void {
  const show = () =>
    attempt.update({ warning: connection.isOneOfSeveral() ? noticeOf('several-hosts') : null })
  connection.onEvent(({ kind }) => {
    if (kind === 'members') show()
  })
  show()
}

/** From the first response of the host to a forward to its world. */
async function reachWorld(
  dependencies: InRoom,
  attempt: Attempt,
  connection: GuestConnection,
  link: HostLink,
): Promise<Forward> {
  const { signal } = attempt
  const first = await reachHost(dependencies, attempt, link)
  const hostPort = typeof first === 'number' ? first : await waitForWorld(dependencies, attempt, link, first)
  const forward = await openForward({ ...dependencies, connection }, hostPort, signal)
  attempt.hold(forward.closed)
  return forward
}

/** @throws RoomFailure */
async function reachHost({ clock }: InRoom, attempt: Attempt, link: HostLink): Promise<HostedWorld> {
  const cancel = clock.after(QUICK_MS, () => attempt.update({ notice: noticeOf('awaiting-path') }))
  try {
    return await link.connect(REACH_MS)
  } finally {
    cancel()
    attempt.update({ notice: null })
  }
}

/** Polls for the world's port. Heartbeats go on meanwhile, because the guest is a registered player or waits to be one. */
async function waitForWorld(
  { machineId, heartbeatMs, clock }: InRoom,
  attempt: Attempt,
  link: HostLink,
  first: HostedWorld,
): Promise<number> {
  let deadline = clock.now() + WORLD_MS
  let nextBeat = clock.now() + heartbeatMs
  let world = first
  while (typeof world !== 'number') {
    showWaiting(attempt, world)
    // A person's answer is waited for without end, a world is not.
    if (world === 'waiting') deadline = clock.now() + WORLD_MS
    if (clock.now() >= deadline) throw noWorld()
    await sleep(clock, POLL_MS, attempt.signal)
    if (clock.now() < nextBeat) {
      world = await link.world()
      continue
    }
    nextBeat = clock.now() + heartbeatMs
    const beat = await link.beat()
    attempt.update({ players: asSeenBy(machineId, beat.profiles) })
    world = beat.world
  }
  return world
}

function showWaiting(attempt: Attempt, world: 'not-started' | 'waiting'): void {
  const stage = world === 'waiting' ? 'Guest_AwaitingApproval' : 'Guest_ConnectingScaffolding'
  if (attempt.stage() !== stage) attempt.advance(stage)
  attempt.update({ notice: noticeOf(world === 'waiting' ? 'awaiting-approval' : 'awaiting-world') })
}
