import { type Clock, createAlarm } from '@lantern-room/base/async'
import type { GuestConnection } from '../../roomNetwork'
import type { HostedWorld } from '../../scaffolding/client'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import { isNoHost } from './finalFailures'
import type { HostLink } from './hostLink'

/** How long a host that is seen may take to be reached: punching to a host that takes no relayed connection is slow. */
const REACH_MS = 60_000
/** A shorter wait is not shown to the player. */
const QUICK_MS = 4000
/** How long another member may take to come in the place of one that does not answer: as long as a search for the host. */
const OTHER_MS = 15_000
const AGAIN_MS = 2000

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
  const until = waits ? Number.POSITIVE_INFINITY : clock.now() + OTHER_MS
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
        const mayBeAnother = isReplaced || (connection.isHostAwaited() && clock.now() < until)
        if (!isNoHost(error) || !mayBeAnother) throw error
        if (waits) attempt.update({ notice: noticeOf('awaiting-room') })
      }
      await alarm.wait(AGAIN_MS, attempt.signal)
    }
  } finally {
    unsubscribe()
    cancel()
    attempt.update({ notice: null })
  }
}
