import { type Clock, sleep } from '@lantern-room/base/async'
import { RoomFailure } from '../../failure'
import { nodesOfGuest } from '../../nodes/nodes'
import type { RoomCode } from '../../roomCode'
import type { GuestConnection, JoinStep, NetworkChoice, RoomNetwork } from '../../roomNetwork'
import type { KnownHosts } from '../kept/knownHosts'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import type { Stage } from '../state/stages'
import { isOtherHost } from './finalFailures'

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

/** Each search takes 15 s by itself. */
const SEARCH_AGAIN_MS = 2000

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
        signal,
        onStep: (step) => advanceTo(attempt, STAGE_OF_STEP[step]),
        onStatus: (network) => attempt.update({ network }),
      })
      attempt.update({ notice: null })
      return connection
    } catch (error) {
      if (!wanted.waits || !(isNobodyThere(error) || isOtherHost(error))) throw error
      attempt.update({ notice: noticeOf(isOtherHost(error) ? 'other-host' : 'awaiting-room') })
    }
    await sleep(clock, SEARCH_AGAIN_MS, signal)
  }
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof RoomFailure && error.code === 'host-not-found'
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
