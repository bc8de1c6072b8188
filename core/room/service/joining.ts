import { createAlarm, sleep } from '#core/async/alarm'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { GuestConnection, JoinStep, LanAnnouncer, LocalNet, ProbeGame, RoomNetwork } from '../ports'
import { asSeenBy, type Player, type Profile } from '../profiles'
import type { Attempt } from './attempt'
import { type Forward, openForward } from './forward'
import { createHostLink, type HostLink } from './hostLink'
import type { JoinRequest } from './requests'
import type { Stage } from './stages'

/** Runs a guest until it fails or its attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
export type Joining = (attempt: Attempt, order: JoinRequest) => Promise<never>

export type JoiningDependencies = {
  readonly roomNetwork: RoomNetwork
  readonly localNet: LocalNet
  readonly probe: ProbeGame
  readonly announcer: LanAnnouncer
  readonly machineId: string
  readonly heartbeatMs: number
  readonly clock: Clock
  readonly log: Log
  /** Told the local port of the forward; undefined when it is closed. */
  readonly onForward: (port: number | undefined) => void
}

/** How long the host's world may take to be opened. */
const WORLD_MS = 60_000
/** How long a lost host may take to return. */
const RETURN_MS = 60_000
const AGAIN_MS = 1000
const DEFAULT_GAME_PORT = 25_565

export function createJoining(dependencies: JoiningDependencies): Joining {
  const { roomNetwork, machineId, clock, log } = dependencies

  return async (attempt, order) => {
    const { signal } = attempt
    const session = await roomNetwork.join({
      room: order.room,
      signal,
      onStep: (step) => reach(attempt, STAGE_OF_STEP[step]),
      onStatus: (network) => attempt.update({ network }),
    })
    attempt.hold(session.closed)
    reach(attempt, 'Guest_ConnectingScaffolding')
    attempt.update({ network: session.status() })

    const player: Player = { name: order.playerName, machineId, vendor: order.vendor }
    const link = createHostLink({ session, room: order.room, player, clock, signal })
    const guest: Guest = { attempt, session, link, forward: undefined, down: sessionEnd(session) }
    const players = await Promise.race([enter(guest), guest.down])
    return await Promise.race([stay(guest, players), guest.down])
  }

  /** From the first answer of the host to a forward that works. */
  async function enter(guest: Guest): Promise<readonly Profile[]> {
    const { attempt, session, link } = guest
    const { signal } = attempt
    const hostPort = await worldPort(guest, await link.connect())
    const forward = await openForward({ ...dependencies, session }, hostPort, signal)
    guest.forward = forward
    attempt.hold(forward.closed)
    dependencies.onForward(forward.port)
    signal.addEventListener('abort', () => dependencies.onForward(undefined), { once: true })
    return checked(guest, forward)
  }

  /** Who is in the room, once an answer has come through the forward. */
  async function checked(
    { attempt, link }: Guest,
    forward: Forward | undefined,
  ): Promise<readonly Profile[]> {
    const [players] = await Promise.all([link.profiles(), forward?.check(attempt.signal)])
    return players
  }

  /** 32 means that there is no world yet. Whoever waits for it is a player of the room already, and says so. */
  async function worldPort({ attempt, link }: Guest, first: number | undefined): Promise<number> {
    const until = clock.now() + WORLD_MS
    let beatAt = clock.now() + dependencies.heartbeatMs
    let port = first
    while (port === undefined) {
      attempt.update({ notice: 'The room is open, the world is not yet: your friend has to open it to LAN.' })
      if (clock.now() >= until) throw noWorld()
      await sleep(clock, AGAIN_MS, attempt.signal)
      if (clock.now() < beatAt) {
        port = await link.worldPort()
      } else {
        beatAt = clock.now() + dependencies.heartbeatMs
        const { profiles, worldPort } = await link.beat()
        attempt.update({ players: asSeenBy(machineId, profiles) })
        port = worldPort
      }
    }
    return port
  }

  /** Playing: the heartbeat, and the way back when the host is lost. */
  async function stay(guest: Guest, first: readonly Profile[]): Promise<never> {
    const { attempt, session } = guest
    const { signal } = attempt
    const alarm = createAlarm(clock)
    let isLost = false
    session.onEvent((event) => {
      attempt.update({ network: session.status() })
      if (event.kind !== 'lost' && event.kind !== 'back') return
      isLost = event.kind === 'lost'
      if (isLost) guest.link.drop()
      alarm.wake()
    })
    attempt.advance('Guest_Running', shown(guest, first))
    announce(guest, first)
    for (;;) {
      await alarm.wait(dependencies.heartbeatMs, signal)
      if (isLost || !(await beat(guest))) await comeBack(guest, alarm, () => isLost)
    }
  }

  /** @returns whether the host answered. @throws RoomFailure when it answered wrongly */
  async function beat({ attempt, link, forward }: Guest): Promise<boolean> {
    try {
      const { profiles, worldPort } = await link.beat()
      const notice = worldPort === undefined ? 'The world is closed: your friend has to open it again.' : null
      attempt.update({ players: asSeenBy(machineId, profiles), notice })
      if (worldPort !== undefined) forward?.retarget(worldPort)
      return true
    } catch (error) {
      if (isFatal(error)) throw error
      log.warn('the host did not answer', { cause: String(error) })
      return false
    }
  }

  async function comeBack(
    guest: Guest,
    alarm: ReturnType<typeof createAlarm>,
    isLost: () => boolean,
  ): Promise<void> {
    const { attempt, link, forward } = guest
    const { signal } = attempt
    attempt.advance('Guest_Reconnecting', { url: null })
    const until = clock.now() + RETURN_MS
    let isWithoutWorld = false
    for (;;) {
      const players = isLost() ? undefined : await playersBack()
      if (players) return attempt.advance('Guest_Running', shown(guest, players))
      if (clock.now() >= until) throw isWithoutWorld ? noWorld() : notReturned()
      await alarm.wait(AGAIN_MS, signal)
    }

    async function playersBack(): Promise<readonly Profile[] | undefined> {
      try {
        const port = await link.connect()
        isWithoutWorld = port === undefined
        if (port === undefined) return undefined
        forward?.retarget(port)
        return await checked(guest, forward)
      } catch (error) {
        if (isFatal(error) || signal.aborted) throw error
        isWithoutWorld = false
        log.info('not back yet', { cause: String(error) })
        return undefined
      }
    }
  }

  function shown({ forward, session }: Guest, profiles: readonly Profile[]) {
    const port = forward?.port ?? DEFAULT_GAME_PORT
    return {
      players: asSeenBy(machineId, profiles),
      gamePort: port,
      url: port === DEFAULT_GAME_PORT ? '127.0.0.1' : `127.0.0.1:${port}`,
      network: session.status(),
    }
  }

  /** The game finds the world in its own list, like any other on the LAN. */
  function announce({ attempt, forward }: Guest, profiles: readonly Profile[]): void {
    const host = profiles.find(({ kind }) => kind === 'HOST')
    const motd = `${host?.name ?? 'Host'}'s world (${host?.vendor ?? 'room'})`
    if (forward) attempt.hold(dependencies.announcer.announce({ motd, port: forward.port }, attempt.signal))
  }
}

type Guest = {
  readonly attempt: Attempt
  readonly session: GuestConnection
  readonly link: HostLink
  forward: Forward | undefined
  /** Rejects when the network goes down. */
  readonly down: Promise<never>
}

const STAGE_OF_STEP: Readonly<Record<JoinStep, Stage>> = {
  starting: 'Guest_Prepare',
  'connecting-nodes': 'Guest_NetworkStarting',
  'looking-for-host': 'Guest_DiscoveringCenter',
  'host-found': 'Guest_DiscoveringCenter',
}

const WAY_IN: readonly Stage[] = [
  ...(['Guest_Prepare', 'Guest_NetworkStarting', 'Guest_DiscoveringCenter'] as const),
  'Guest_ConnectingScaffolding',
]

/** Goes through every stage up to this one, never back: a step may be passed in no time. */
function reach(attempt: Attempt, stage: Stage): void {
  const from = WAY_IN.indexOf(attempt.stage())
  for (const next of WAY_IN.slice(from + 1, WAY_IN.indexOf(stage) + 1)) attempt.advance(next)
}

/** Answers that no second try makes right. */
function isFatal(error: unknown): boolean {
  const fatal = ['fingerprint-mismatch', 'invalid-response', 'room-full']
  return error instanceof RoomFailure && fatal.includes(error.code)
}

function noWorld(): RoomFailure {
  return new RoomFailure('game-not-started', 'The host has not opened a world.')
}

function notReturned(): RoomFailure {
  return new RoomFailure('connection-lost', 'The connection to the host is lost, and it did not return.')
}

function sessionEnd(session: GuestConnection): Promise<never> {
  const down = new Promise<never>((_, reject) => {
    session.onEvent((event) => {
      if (event.kind !== 'down') return
      const { error } = event
      reject(
        error instanceof RoomFailure
          ? error
          : new RoomFailure('network-failed', 'The virtual network has failed.', { cause: error }),
      )
    })
  })
  // Whoever races with it hears of it; after the race nobody needs to.
  down.catch(() => undefined)
  return down
}
