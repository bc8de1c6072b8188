import { type Clock, sleep } from '@lantern-room/base/async'
import { asSeenBy } from '@lantern-room/protocol'
import type { HostedWorld } from '@lantern-room/protocol/client'
import { RoomFailure } from '../../failure'
import { isFinal } from '../../network/hostSearch/policy'
import type { GuestConnection } from '../../roomNetwork'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import type { GuestSelf } from './guestSelf'
import type { HostLink } from './hostLink'
import { HostPresence } from './hostPresence'

export type WorldAwaited = {
  readonly attempt: Attempt
  readonly connection: Pick<GuestConnection, 'onEvent' | 'isHostUnreadable'>
  readonly link: HostLink
  readonly self: GuestSelf
  readonly heartbeatMs: number
  /** Whether its player has ordered to wait for the host. */
  readonly waits: boolean
  readonly clock: Clock
}

/** How long a guest that does not wait gives the host to open the world. */
const WORLD_MS = 60_000
const POLL_MS = 1000

/**
 * The port of the host's world, once there is one and the player is let in. A host that is lost before is waited for, where the
 * player has ordered that.
 * @param first what the host has said when it was reached
 * @throws RoomFailure
 */
export async function awaitWorld(awaited: WorldAwaited, first: HostedWorld): Promise<number> {
  if (!awaited.waits) return askForWorld(awaited, first)
  const host = HostPresence.watch(awaited)
  let world = first
  try {
    for (;;) {
      try {
        return await askForWorld(awaited, world)
      } catch (error) {
        if (awaited.attempt.signal.aborted || isFinal(error)) throw error
        world = await untilBack(awaited, host)
      }
    }
  } finally {
    host.leave()
  }
}

/** Heartbeats go on meanwhile, because the guest is a registered player or waits to be one. */
async function askForWorld(awaited: WorldAwaited, first: HostedWorld): Promise<number> {
  const { attempt, link, self, heartbeatMs, waits, clock } = awaited
  let deadline = clock.now() + WORLD_MS
  let nextBeat = clock.now() + heartbeatMs
  let world = first
  while (typeof world !== 'number') {
    showWaiting(attempt, world)
    // A person's answer is waited for without end, a world is not.
    if (world === 'waiting' || waits) deadline = clock.now() + WORLD_MS
    if (clock.now() >= deadline) throw noWorld()
    await sleep(clock, POLL_MS, attempt.signal)
    if (clock.now() < nextBeat) {
      world = await link.world()
      continue
    }
    nextBeat = clock.now() + heartbeatMs
    const beat = await link.beat()
    attempt.update({ players: asSeenBy(self.machineId, beat.profiles) })
    world = beat.world
  }
  return world
}

/** Speaks with the host again, as soon as the network has it. @throws RoomFailure after 12 h */
async function untilBack({ attempt, link, waits }: WorldAwaited, host: HostPresence): Promise<HostedWorld> {
  const loss = host.lose(waits)
  for (;;) {
    try {
      if (!host.isLost) return await link.connect()
    } catch (error) {
      if (isFinal(error) || attempt.signal.aborted) throw error
    }
    attempt.update({ notice: loss.isLong ? noticeOf('awaiting-host') : null })
    await loss.pause(attempt.signal, notReturned)
  }
}

export function noWorld(): RoomFailure {
  return new RoomFailure('game-not-started', 'The host has not opened a world.')
}

export function notReturned(): RoomFailure {
  return new RoomFailure('connection-lost', 'The connection to the host is lost, and it did not return.')
}

function showWaiting(attempt: Attempt, world: 'not-started' | 'waiting'): void {
  const stage = world === 'waiting' ? 'Guest_AwaitingApproval' : 'Guest_ConnectingScaffolding'
  if (attempt.stage() !== stage) attempt.advance(stage)
  attempt.update({ notice: noticeOf(world === 'waiting' ? 'awaiting-approval' : 'awaiting-world') })
}
