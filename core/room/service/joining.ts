import { sleep } from '#core/async/alarm'
import { onAbort } from '#core/async/onAbort'
import type { GuestConnection, JoinStep, LocalNet, ProbeGame, RoomNetwork } from '../ports'
import { asSeenBy, type Player } from '../profiles'
import type { RoomCode } from '../roomCode'
import type { Attempt } from './attempt'
import { createExtraForwards } from './extraForwards'
import { type Forward, openForward } from './forward'
import { createHostLink, type HostLink } from './hostLink'
import { keepPlaying, noWorld, type PlayingDependencies } from './keepPlaying'
import type { Stage } from './stages'
import { untilClosed } from './untilClosed'

/** A request to join, with all defaults filled in. */
export type JoinRequest = {
  readonly room: RoomCode
  readonly playerName: string
  readonly vendor: string
  /** Shared nodes beside the configured ones. */
  readonly nodes: readonly string[]
}

/** Runs a guest until it fails or its attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
export type Joining = (attempt: Attempt, request: JoinRequest) => Promise<never>

export type JoiningDependencies = PlayingDependencies & {
  readonly roomNetwork: RoomNetwork
  readonly localNet: LocalNet
  readonly probe: ProbeGame
  /** Called with the local port of the forward; with undefined when it is closed. */
  readonly onForward: (port: number | undefined) => void
}

/** How long a host that is seen may take to be reached: punching to a host that takes no relayed connection is slow. */
const REACH_MS = 60_000
/** Until then it is not worth telling. */
const QUICK_MS = 4000
/** How long a guest waits for the host to open the world. */
const WORLD_MS = 60_000
const POLL_MS = 1000

export function createJoining(dependencies: JoiningDependencies): Joining {
  const { roomNetwork, machineId, clock, localNet, log } = dependencies

  return async (attempt, request) => {
    const { signal } = attempt
    const connection = await roomNetwork.join({
      room: request.room,
      nodes: request.nodes,
      signal,
      onStep: (step) => advanceTo(attempt, STAGE_OF_STEP[step]),
      onStatus: (network) => attempt.update({ network }),
    })
    attempt.hold(connection.closed)
    advanceTo(attempt, 'Guest_ConnectingScaffolding')
    attempt.update({ network: connection.status() })

    const player: Player = { name: request.playerName, machineId, vendor: request.vendor }
    const link = createHostLink({ connection, room: request.room, player, clock, signal })
    attempt.beforeStop(link.bye)
    const play = async () => {
      const forward = await reachWorld(dependencies, attempt, connection, link)
      const extras = createExtraForwards(
        { connection, localNet, log, hold: attempt.hold },
        (ports) => attempt.update({ ports }),
        signal,
      )
      return keepPlaying(dependencies, { attempt, connection, link, forward, extras })
    }
    return await Promise.race([play(), untilClosed(connection, signal)])
  }
}

/** From the first response of the host to a forward to its world. */
async function reachWorld(
  dependencies: JoiningDependencies,
  attempt: Attempt,
  connection: GuestConnection,
  link: HostLink,
): Promise<Forward> {
  const { signal } = attempt
  const hostPort =
    (await reachHost(dependencies, attempt, link)) ?? (await waitForWorld(dependencies, attempt, link))
  const forward = await openForward({ ...dependencies, connection }, hostPort, signal)
  attempt.hold(forward.closed)
  dependencies.onForward(forward.port)
  onAbort(signal, () => dependencies.onForward(undefined))
  return forward
}

/** @returns the port of the world; undefined while there is none. @throws RoomFailure */
async function reachHost(
  { clock }: JoiningDependencies,
  attempt: Attempt,
  link: HostLink,
): Promise<number | undefined> {
  const cancel = clock.after(QUICK_MS, () =>
    attempt.update({
      notice: 'Your friend’s room is found. Waiting for a path to it, which can take a minute.',
    }),
  )
  try {
    return await link.connect(REACH_MS)
  } finally {
    cancel()
    attempt.update({ notice: null })
  }
}

/** Polls for the world's port. Heartbeats go on meanwhile, because the guest is a registered player already. */
async function waitForWorld(
  { machineId, heartbeatMs, clock }: JoiningDependencies,
  attempt: Attempt,
  link: HostLink,
): Promise<number> {
  const deadline = clock.now() + WORLD_MS
  let nextBeat = clock.now() + heartbeatMs
  let port: number | undefined
  while (port === undefined) {
    attempt.update({ notice: 'The room is open, the world is not yet: your friend has to open it to LAN.' })
    if (clock.now() >= deadline) throw noWorld()
    await sleep(clock, POLL_MS, attempt.signal)
    if (clock.now() < nextBeat) {
      port = await link.worldPort()
      continue
    }
    nextBeat = clock.now() + heartbeatMs
    const beat = await link.beat()
    attempt.update({ players: asSeenBy(machineId, beat.profiles) })
    port = beat.worldPort
  }
  return port
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
