import type { Log } from '@lantern-room/base'
import { type Clock, sleep } from '@lantern-room/base/async'
import type { MemberNetwork } from './memberNetwork'
import { probeLiveness } from './members'
import { drawnIdentity } from './networkIdentity'

const LOOK_MS = 250
const PROBE_MS = 1000
const REACH_MS = 60_000
/** How long a guest that is connected directly waits for a direct connection in the new network, too. */
const DIRECT_MS = 20_000
/** Longer than packets are in flight. */
const LEAVE_MS = 5000

type HostFollowerOptions = {
  readonly member: Pick<MemberNetwork, 'openNext' | 'signal'> & {
    readonly network: Pick<MemberNetwork['network'], 'generations' | 'peers'>
  }
  /** The peer id of the host, among others that may call themselves so. */
  readonly hostId: () => number
  readonly clock: Clock
  readonly log: Log
}

/** Moves a guest from one secret of a private room's network to the next. */
export function createHostFollower(options: HostFollowerOptions) {
  const { member, log } = options
  const { network, signal } = member
  let wanted = ''
  let current = new AbortController()

  return {
    /** Whether it has left the network of the code. */
    hasMoved: (): boolean => (network.generations.list()[0] ?? 0) > 0,
    /** @see GuestConnection */
    follow(secret: Uint8Array): void {
      const text = String(secret)
      if (text === wanted) return
      wanted = text
      current.abort(new Error('the host has changed the secret again'))
      current = new AbortController()
      const moving = AbortSignal.any([signal, current.signal])
      void moveTo(secret, moving, options).catch((cause: unknown) => {
        if (moving.aborted) return
        log.warn('the network with another secret cannot be opened', { cause: String(cause) })
        wanted = ''
      })
    },
  }
}

async function moveTo(secret: Uint8Array, moving: AbortSignal, options: HostFollowerOptions): Promise<void> {
  const { member, hostId, clock, log } = options
  const { generations } = member.network
  const generation = await member.openNext(drawnIdentity(secret))
  try {
    generations.move(await untilReached(generation, moving, options), generation)
    // What is under way in the old networks is still taken.
    await sleep(clock, LEAVE_MS, moving)
    log.info('the secret of the network was changed', { generation })
    const replaced = generations.list().filter((one) => one < generation)
    await Promise.all(replaced.map(generations.close))
  } catch (error) {
    const isInUse = generations.peersOf(generation).some(({ record }) => record.peerId === hostId())
    if (!isInUse && !member.signal.aborted) await generations.close(generation)
    throw error
  }
}

/**
 * Waits until the host has answered in this network, and there is as good a path to it as in the old one.
 * @returns the host's peer id
 * @throws Error after a minute: a host that was closed in between is searched for no longer
 */
async function untilReached(
  generation: number,
  moving: AbortSignal,
  { member: { network }, hostId, clock }: HostFollowerOptions,
): Promise<number> {
  const answered = new Set<number>()
  const startedAt = clock.now()
  let probedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    moving.throwIfAborted()
    const peerId = hostId()
    const mesh = network.generations.at(generation)?.peer
    if (!answered.has(peerId) && clock.now() - probedAt >= PROBE_MS) {
      probedAt = clock.now()
      if (mesh) probeLiveness(mesh, peerId, PROBE_MS, () => answered.add(peerId))
    }
    const elapsedMs = clock.now() - startedAt
    const old = network.peers().find(({ record }) => record.peerId === peerId)
    const there = answered.has(peerId) ? mesh?.peer(peerId) : undefined
    if (there && (there.connection || !old?.connection || elapsedMs >= DIRECT_MS)) return peerId
    if (elapsedMs >= REACH_MS) throw new Error('the host was not found there')
    await sleep(clock, LOOK_MS, moving)
  }
}
