import { sleep } from '#core/async/alarm'
import { onAbort } from '#core/async/onAbort'
import { RoomFailure } from '../failure'
import { nodesOfRoom } from '../nodes'
import type { GuestConnection, JoinStep, LocalNet, ProbeGame, RoomNetwork } from '../ports'
import { asSeenBy, type Player } from '../profiles'
import type { RoomCode } from '../roomCode'
import type { HostedWorld } from '../scaffolding/client'
import type { HostIdentity } from '../scaffolding/identity'
import type { Attempt } from './attempt'
import { createExtraForwards } from './extraForwards'
import { type Forward, openForward } from './forward'
import { createHostLink, type HostLink } from './hostLink'
import { keepPlaying, noWorld, type PlayingDependencies } from './keepPlaying'
import type { KnownHosts } from './knownHosts'
import { noticeOf } from './notices'
import type { KeptRoom } from './roomKeeper'
import type { Stage } from './stages'
import { untilClosed } from './untilClosed'

/** A request to join, with all defaults filled in. */
export type JoinRequest = {
  readonly room: RoomCode
  readonly playerName: string
  readonly vendor: string
  /** Shared nodes beside the configured ones. */
  readonly nodes: readonly string[]
  /** The host's key, when an invitation has told it. */
  readonly hostKey: Uint8Array | undefined
  /** Whether to accept another host than at an earlier join of this private room. */
  readonly acceptsNewHost: boolean
  /** Whether to go on searching, for as long as it takes, while nobody hosts the room. */
  readonly waits: boolean
  /** What is kept for a restart of the program; undefined = nothing. */
  readonly kept?: KeptRoom | undefined
}

/** Runs a guest until it fails or its attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
export type Joining = (attempt: Attempt, request: JoinRequest) => Promise<never>

export type JoiningDependencies = Omit<PlayingDependencies, 'machineId'> & {
  readonly roomNetwork: RoomNetwork
  /** The machine id that the players of this room see. */
  readonly machineIdIn: (room: RoomCode) => string
  /** Our own key as the host of this room. */
  readonly identityOf: (room: RoomCode) => Pick<HostIdentity, 'publicKey'>
  /** Shared nodes of every room. */
  readonly configuredNodes: () => readonly string[]
  readonly knownHosts: KnownHosts
  readonly localNet: LocalNet
  readonly probe: ProbeGame
  /** Called with the local port of the forward; with undefined when it is closed. */
  readonly onForward: (port: number | undefined) => void
}

type InRoom = JoiningDependencies & { readonly machineId: string }

/** How long a host that is seen may take to be reached: punching to a host that takes no relayed connection is slow. */
const REACH_MS = 60_000
/** Until then it is not worth telling. */
const QUICK_MS = 4000
/** How long a guest waits for the host to open the world. */
const WORLD_MS = 60_000
const POLL_MS = 1000
/** Each search takes 15 s by itself. */
const SEARCH_AGAIN_MS = 2000

export function createJoining(dependencies: JoiningDependencies): Joining {
  const { clock, localNet, log } = dependencies

  return async (attempt, request) => {
    const { signal } = attempt
    const machineId = dependencies.machineIdIn(request.room)
    const inRoom = { ...dependencies, machineId }
    const connection = await findHost(dependencies, attempt, request)
    attempt.hold(connection.closed)
    advanceTo(attempt, 'Guest_ConnectingScaffolding')
    attempt.update({ network: connection.status() })

    const player: Player = { name: request.playerName, machineId, vendor: request.vendor }
    const link = createHostLink({
      connection,
      room: request.room,
      player,
      ownHostKey: dependencies.identityOf(request.room).publicKey,
      hostKey: request.hostKey,
      clock,
      signal,
    })
    attempt.beforeStop(link.bye)
    const play = async () => {
      const forward = await reachWorld(inRoom, attempt, connection, link)
      const extras = createExtraForwards(
        { connection, localNet, log, hold: attempt.hold },
        (ports) => attempt.update({ ports }),
        signal,
      )
      return keepPlaying(inRoom, { attempt, connection, link, forward, extras })
    }
    return await Promise.race([play(), untilClosed(connection, signal)])
  }
}

/** @throws RoomFailure; not because nobody hosts the room, where the guest waits for that */
async function findHost(
  { roomNetwork, knownHosts, configuredNodes, clock }: JoiningDependencies,
  attempt: Attempt,
  request: JoinRequest,
): Promise<GuestConnection> {
  const { signal } = attempt
  const { room } = request
  const known = request.acceptsNewHost ? undefined : await knownHosts.keyOf(room)
  for (;;) {
    try {
      const connection = await roomNetwork.join({
        room,
        hostKey: request.hostKey ?? known,
        onHostKey: (key) => void knownHosts.remember(room, key),
        nodes: nodesOfRoom(configuredNodes(), request.nodes),
        signal,
        onStep: (step) => advanceTo(attempt, STAGE_OF_STEP[step]),
        onStatus: (network) => attempt.update({ network }),
      })
      attempt.update({ notice: null })
      return connection
    } catch (error) {
      if (!request.waits || !isNobodyThere(error)) throw error
      attempt.update({ notice: noticeOf('awaiting-room') })
    }
    await sleep(clock, SEARCH_AGAIN_MS, signal)
  }
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof RoomFailure && error.code === 'host-not-found'
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
  dependencies.onForward(forward.port)
  onAbort(signal, () => dependencies.onForward(undefined))
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

const STAGE_OF_STEP: Readonly<Record<JoinStep, Stage>> = {
  starting: 'Guest_Prepare',
  'connecting-nodes': 'Guest_NetworkStarting',
  'looking-for-host': 'Guest_DiscoveringCenter',
  'host-found': 'Guest_DiscoveringCenter',
}

const STAGES_IN_ORDER: readonly Stage[] = [
  'Guest_Prepare',
  'Guest_NetworkStarting',
  'Guest_DiscoveringCenter',
  'Guest_ConnectingScaffolding',
]

/** Enters every stage between the current one and this one, because steps may be skipped; never goes back. */
function advanceTo(attempt: Attempt, stage: Stage): void {
  const from = STAGES_IN_ORDER.indexOf(attempt.stage())
  const to = STAGES_IN_ORDER.indexOf(stage)
  for (const next of STAGES_IN_ORDER.slice(from + 1, to + 1)) attempt.advance(next)
}
