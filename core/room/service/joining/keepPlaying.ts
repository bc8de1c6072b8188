import type { Log } from '@lantern-room/base'
import { type Clock, handled } from '@lantern-room/base/async'
import type { LanAnnouncer } from '@lantern-room/game/ports'
import { asSeenBy, type Profile } from '@lantern-room/protocol'
import type { HostedWorld } from '@lantern-room/protocol/client'
import { HOST_CHANGED, RoomFailure } from '../../failure'
import { isFinal, isOtherHost } from '../../network/hostSearch/policy'
import type { GuestConnection } from '../../roomNetwork'
import type { Attempt } from '../state/attempt'
import { type Notice, noticeOf } from '../state/notices'
import { connectionToHost } from '../state/playerConnections'
import type { RoomPatch } from '../state/roomState'
import type { ExtraForwards } from '../streams/extraForwards'
import type { Forward } from '../streams/forward'
import { notReturned, noWorld } from './awaitWorld'
import type { GuestSelf } from './guestSelf'
import { type HostLink, untilRoomCloses } from './hostLink'
import { HostPresence } from './hostPresence'

export type PlayingDependencies = {
  readonly announcer: LanAnnouncer
  readonly self: GuestSelf
  readonly heartbeatMs: number
  readonly clock: Clock
  readonly log: Log
}

const DEFAULT_GAME_PORT = 25_565

export type Playing = PlayingDependencies & {
  readonly attempt: Attempt
  readonly connection: GuestConnection
  readonly link: HostLink
  readonly forward: Forward
  readonly extras: ExtraForwards
  /** Whether its player has ordered to wait for the host. */
  readonly waits: boolean
}

/**
 * Keeps a guest in the room: confirms that the world answers, announces it on the LAN, sends heartbeats, and reconnects
 * when the host is lost.
 * @throws RoomFailure, or the reason of the attempt's signal
 */
export async function keepPlaying(playing: Playing): Promise<never> {
  const { clock, log, connection, attempt } = playing
  const listening = new AbortController()
  const signal = AbortSignal.any([attempt.signal, listening.signal])
  const closing = handled(untilRoomCloses({ connection, clock, log }, signal))
  try {
    return await Promise.race([play(playing), closing])
  } finally {
    listening.abort(new Error('the guest has left'))
  }
}

async function play(playing: Playing): Promise<never> {
  const { announcer, heartbeatMs, attempt, connection, forward } = playing
  const { signal } = attempt
  const { players, world } = await confirmedPlayers(playing)
  const host = HostPresence.watch(playing)
  connection.onEvent(({ kind }) => {
    attempt.update({
      connections: connectionToHost(connection.links(), players),
      ...(kind !== 'links' && { network: connection.status() }),
    })
  })

  attempt.advance('Guest_Running', { ...runningView(playing, players), worldName: world.motd || null })
  // Games of the Bedrock edition ask the forward itself.
  if (!world.isBedrock) {
    const motd = world.motd || nameFor(players)
    attempt.hold(announcer.announce({ motd, port: forward.port }, signal))
  }
  for (;;) {
    await host.change(heartbeatMs, signal)
    const isPresent = !host.isLost && (await beat(playing))
    if (isPresent) continue
    attempt.advance('Guest_Reconnecting', { url: null })
    attempt.advance('Guest_Running', runningView(playing, await reconnect(playing, host)))
  }
}

/** The players of the room, once an answer has come through the forward. @throws RoomFailure */
async function confirmedPlayers({ attempt, link, forward, extras }: Playing) {
  const [{ profiles, extraPorts }, world] = await Promise.all([link.beat(), forward.check(attempt.signal)])
  void extras.update(extraPorts)
  return { players: profiles, world }
}

/** @returns whether the host answered. @throws RoomFailure when its answer is wrong */
async function beat({ attempt, link, forward, extras, self, log }: Playing): Promise<boolean> {
  try {
    const { profiles, world, extraPorts } = await link.beat()
    attempt.update({ players: asSeenBy(self.machineId, profiles), notice: noticeAbout(world) })
    if (typeof world === 'number') forward.retarget(world)
    void extras.update(extraPorts)
    return true
  } catch (error) {
    if (isFinal(error)) throw error
    log.warn('the host did not answer', { cause: String(error) })
    return false
  }
}

function noticeAbout(world: HostedWorld): Notice | null {
  if (world === 'waiting') return noticeOf('awaiting-approval')
  return world === 'not-started' ? noticeOf('world-closed') : null
}

/**
 * @returns the players of the room once the world answers again
 * @throws RoomFailure after 60 s, or 12 h where the player has ordered to wait. Time in which the host answers, but has not let the
 *   player in, does not count; nor, for one who waits, the time in which it has no world. Sooner where the host encrypts otherwise
 */
async function reconnect(playing: Playing, host: HostPresence): Promise<readonly Profile[]> {
  const { attempt, connection, waits } = playing
  const loss = host.lose(waits)
  let outcome: ReconnectOutcome = 'unreachable'
  for (;;) {
    outcome = host.isLost ? 'unreachable' : await tryReconnect(playing, outcome)
    if (typeof outcome === 'object') return outcome
    if (outcome === 'waiting' || (outcome === 'not-started' && waits)) loss.answered()
    const isOther = outcome === 'other-host' || connection.isOtherHostThere()
    attempt.update({ notice: noticeWhile(outcome, isOther, loss.isLong) })
    await loss.pause(attempt.signal, () => failureAfter(outcome, isOther))
  }
}

/** @param isOther whether another host answers in its place */
function failureAfter(outcome: ReconnectOutcome, isOther: boolean): RoomFailure {
  if (outcome === 'not-started') return noWorld()
  return isOther ? new RoomFailure('host-changed', HOST_CHANGED) : notReturned()
}

type ReconnectOutcome = readonly Profile[] | 'not-started' | 'waiting' | 'other-host' | 'unreachable'

/** @param isLong whether the player is told that the host is waited for */
function noticeWhile(outcome: ReconnectOutcome, isOther: boolean, isLong: boolean): Notice | null {
  if (outcome === 'waiting') return noticeOf('awaiting-approval')
  if (outcome === 'not-started') return noticeOf('world-closed')
  if (isOther) return noticeOf('other-host')
  return isLong ? noticeOf('awaiting-host') : null
}

/** @param last the outcome before: who waits for the host's answer, or its world, asks by the connection that is open */
async function tryReconnect(playing: Playing, last: ReconnectOutcome): Promise<ReconnectOutcome> {
  const { attempt, link, forward, log } = playing
  const isWaiting = last === 'waiting' || last === 'not-started'
  try {
    const world = isWaiting ? (await link.beat()).world : await link.connect()
    if (typeof world !== 'number') return world
    forward.retarget(world)
    return (await confirmedPlayers(playing)).players
  } catch (error) {
    if (isFinal(error) || attempt.signal.aborted) throw error
    log.info('the host is not back yet', { cause: String(error) })
    return isOtherHost(error) ? 'other-host' : 'unreachable'
  }
}

function runningView({ connection, forward, self }: Playing, profiles: readonly Profile[]): RoomPatch {
  const { port } = forward
  return {
    players: asSeenBy(self.machineId, profiles),
    gamePort: port,
    url: port === DEFAULT_GAME_PORT ? '127.0.0.1' : `127.0.0.1:${port}`,
    network: connection.status(),
    connections: connectionToHost(connection.links(), profiles),
  }
}

/** Under this name the game lists a world without a text of its own among those on the LAN. */
function nameFor(players: readonly Profile[]): string {
  const host = players.find(({ kind }) => kind === 'HOST')
  return `${host?.name ?? 'Host'}'s world (${host?.vendor ?? 'room'})`
}
