import { type Clock, createAlarm, sleep } from '@lantern-room/base/async'
import type { RoomCode } from '@lantern-room/protocol'
import type { HostedWorld } from '@lantern-room/protocol/client'
import { isOtherHost, reachAgainMs, searchAgainMs } from '../../network/hostSearch/policy'
import { nodesOfGuest } from '../../nodes/nodes'
import type { GuestConnection, JoinStep, NetworkChoice, RoomNetwork } from '../../roomNetwork'
import type { KnownHosts } from '../kept/knownHosts'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import type { Stage } from '../state/stages'
import type { HostLink } from './hostLink'

export type HostWanted = NetworkChoice & {
  readonly room: RoomCode
  /** Shared nodes beside the configured ones. */
  readonly nodes: readonly string[]
  /** Those that an invitation names. */
  readonly invitedNodes: readonly string[]
  /** The host's key, when an invitation, or an earlier attempt with the same order, has told it. */
  readonly hostKey: Uint8Array | undefined
  /** Whether to accept another host than at an earlier join of this private room. */
  readonly acceptsNewHost: boolean
  /** Whether to go on searching, for as long as it takes, while nobody hosts the room. */
  readonly waits: boolean
}

export type FindHostDependencies = {
  readonly roomNetwork: RoomNetwork
  readonly knownHosts: KnownHosts
  /** Shared nodes of every room. */
  readonly configuredNodes: () => readonly string[]
  readonly clock: Clock
}

/** How long a host that is seen may take to be reached: punching to a host that takes no relayed connection is slow. */
const REACH_MS = 60_000
/** A shorter wait is not shown to the player. */
const QUICK_MS = 4000

/**
 * Searches for the host of a room, and shows the steps as stages of the attempt.
 * @param onHostKey called with the key that the host has proved, once
 * @throws RoomFailure; where the guest waits for its host, not because nobody hosts the room, or another host does
 */
export async function findHost(
  { roomNetwork, knownHosts, configuredNodes, clock }: FindHostDependencies,
  attempt: Attempt,
  wanted: HostWanted,
  onHostKey: (key: Uint8Array) => void,
): Promise<GuestConnection> {
  const { signal } = attempt
  const { room } = wanted
  const showWaiting = () => attempt.update({ notice: noticeOf('awaiting-room') })
  const cancel = wanted.waits ? clock.after(QUICK_MS, showWaiting) : () => {}
  const known = wanted.acceptsNewHost ? undefined : await knownHosts.keyOf(room)
  for (;;) {
    try {
      const connection = await roomNetwork.join({
        room,
        hostKey: wanted.hostKey ?? known,
        onHostKey(key) {
          onHostKey(key)
          void knownHosts.remember(room, key)
        },
        ...nodesOfGuest(configuredNodes(), wanted),
        friendRelay: wanted.friendRelay,
        direct: wanted.direct,
        outlivesNetwork: wanted.waits,
        signal,
        onStep: (step) => advanceTo(attempt, STAGE_OF_STEP[step]),
        onStatus: (network) => attempt.update({ network }),
      })
      cancel()
      attempt.update({ notice: null })
      return connection
    } catch (error) {
      cancel()
      const ms = searchAgainMs(wanted.waits, error)
      if (ms === undefined) throw error
      attempt.update({ notice: noticeOf(isOtherHost(error) ? 'other-host' : 'awaiting-room') })
      await sleep(clock, ms, signal)
    }
  }
}

/**
 * Speaks with the host for the first time. Who alone had the host's name was taken for it: where it does not answer as a host, the
 * first other member that does is the host.
 * @param waits whether to go on, for as long as it takes, while no host answers
 * @throws RoomFailure
 * @see docs/decisions.md, D145
 */
export async function reachHost(
  clock: Clock,
  attempt: Attempt,
  connection: GuestConnection,
  link: HostLink,
  waits: boolean,
): Promise<HostedWorld> {
  const startedAt = clock.now()
  const alarm = createAlarm(clock)
  let isReplaced = false
  const unsubscribe = connection.onEvent((event) => {
    if (event.kind !== 'back' || !event.isRestarted) return
    isReplaced = true
    link.drop()
    alarm.wake()
  })
  const cancel = clock.after(QUICK_MS, () => attempt.update({ notice: noticeOf('awaiting-path') }))
  try {
    for (;;) {
      isReplaced = false
      try {
        return await link.connect(REACH_MS)
      } catch (error) {
        attempt.signal.throwIfAborted()
        const isAwaited = connection.isHostAwaited()
        const elapsedMs = clock.now() - startedAt
        const ms = reachAgainMs({ isReplaced, isAwaited, waits, elapsedMs }, error)
        if (ms === undefined) throw error
        if (waits) attempt.update({ notice: noticeOf('awaiting-room') })
        await alarm.wait(ms, attempt.signal)
      }
    }
  } finally {
    unsubscribe()
    cancel()
    attempt.update({ notice: null })
  }
}

/** Enters every stage between the current one and this one, because steps may be skipped; never goes back. */
export function advanceTo(attempt: Attempt, stage: Stage): void {
  const from = STAGES_IN_ORDER.indexOf(attempt.stage())
  const to = STAGES_IN_ORDER.indexOf(stage)
  for (const next of STAGES_IN_ORDER.slice(from + 1, to + 1)) attempt.advance(next)
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
