import type { Log } from '@lantern-room/base'
import { type Clock, sleep } from '@lantern-room/base/async'
import { SECRET_SIZE } from '@lantern-room/protocol/server'
import type { NetworkSecret } from '../roomNetwork'
import type { MemberNetwork } from './members/memberNetwork'
import { isMember } from './members/members'
import { drawnIdentity } from './members/networkIdentity'

/** How long members may take to leave a network whose secret was replaced. */
const LEAVE_MS = 60_000
const LOOK_MS = 1000

/** The host's side of a change of the secret. The first generation, that of the code, stays open. */
export function createNetworkSecret(options: {
  readonly member: Pick<MemberNetwork, 'openNext' | 'signal'> & {
    readonly network: Pick<MemberNetwork['network'], 'generations'>
  }
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly clock: Clock
  readonly log: Log
}): NetworkSecret {
  const { member, clock, log } = options
  const { generations } = member.network
  let current: Uint8Array | undefined

  return {
    current: () => current,
    change() {
      current = options.randomBytes(SECRET_SIZE)
      void replace(current).catch((cause: unknown) => {
        if (!member.signal.aborted)
          log.error('the network cannot be opened under another secret', { cause: String(cause) })
      })
    },
  }

  async function replace(secret: Uint8Array): Promise<void> {
    const generation = await member.openNext(drawnIdentity(secret))
    log.info('the secret of the network was changed', { generation })
    const until = clock.now() + LEAVE_MS
    for (let left = replacedBy(generation); left.length > 0; left = replacedBy(generation)) {
      await sleep(clock, LOOK_MS, member.signal)
      const isOver = clock.now() >= until
      const empty = left.filter((one) => isOver || !generations.peersOf(one).some(isMember))
      await Promise.all(empty.map((one) => generations.close(one)))
    }
  }

  function replacedBy(generation: number): readonly number[] {
    return generations.list().filter((one) => one > 0 && one < generation)
  }
}
