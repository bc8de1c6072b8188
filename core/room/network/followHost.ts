import { type Clock, sleep } from '#core/async/clock'
import type { Log } from '#core/log'
import type { MemberNetwork } from './members/memberNetwork'
import { probeLiveness } from './members/members'
import { drawnIdentity } from './members/networkIdentity'

const LOOK_MS = 250
const PROBE_MS = 1000

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
  const { member, hostId, log } = options
  const { generations } = member.network
  const generation = await member.openNext(drawnIdentity(secret))
  try {
    const outcome = await untilMoved(generation, moving, options)
    if (outcome.kind === 'given-up') throw new Error('the host was not found there')
    log.info('the secret of the network was changed', { generation })
    const replaced = generations.list().filter((one) => one < generation)
    await Promise.all(replaced.map(generations.close))
  } catch (error) {
    const isInUse = generations.peersOf(generation).some(({ record }) => record.peerId === hostId())
    if (!isInUse && !member.signal.aborted) await generations.close(generation)
    throw error
  }
}

async function untilMoved(
  generation: number,
  moving: AbortSignal,
  options: HostFollowerOptions,
): Promise<Move> {
  const { member, clock } = options
  let move: Move = { kind: 'reaching', since: clock.now() }
  const look = lookInto(generation, options)
  for (;;) {
    moving.throwIfAborted()
    const { peerId, view } = look()
    const next = nextMove(move, view)
    if (next.kind === 'leaving' && move.kind !== 'leaving')
      member.network.generations.move(peerId, generation)
    move = next
    if (move.kind === 'moved' || move.kind === 'given-up') return move
    await sleep(clock, LOOK_MS, moving)
  }
}

/** Looks for the host in a network, and probes it there until it has answered. */
function lookInto(
  generation: number,
  { member: { network }, hostId, clock }: HostFollowerOptions,
): () => { readonly peerId: number; readonly view: MoveView } {
  const answered = new Set<number>()
  let probedAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.now()
    const peerId = hostId()
    const host = network.peers().find(({ record }) => record.peerId === peerId)
    const mesh = network.generations.at(generation)
    if (!answered.has(peerId) && now - probedAt >= PROBE_MS) {
      probedAt = now
      if (mesh) probeLiveness(mesh, peerId, PROBE_MS, () => answered.add(peerId))
    }
    const there = mesh?.peer(peerId)
    const view = {
      now,
      hasAnswered: answered.has(peerId) && there !== undefined,
      wasDirect: host?.connection !== undefined,
      isDirect: there?.connection !== undefined,
    }
    return { peerId, view }
  }
}

/** How far a guest is on its way to the network with another secret. Times are milliseconds. */
export type Move =
  /** It is open under the new secret as well, and looks for the host there. */
  | { readonly kind: 'reaching'; readonly since: number }
  /** It reaches the host there; what is under way in the old networks is still taken. */
  | { readonly kind: 'leaving'; readonly since: number }
  /** The old networks can be closed. */
  | { readonly kind: 'moved' }
  /** The host was not found there: the new network can be closed. */
  | { readonly kind: 'given-up' }

/** The host as a guest sees it. */
export type MoveView = {
  readonly now: number
  /** Whether the host has answered in the new network. */
  readonly hasAnswered: boolean
  /** Whether there is a direct connection to it, in the old network and in the new one. */
  readonly wasDirect: boolean
  readonly isDirect: boolean
}

/** A host that was closed in between is searched for no longer. */
export const REACH_MS = 60_000
/** How long a guest that is connected directly waits for a direct connection in the new network, too. */
export const DIRECT_MS = 20_000
/** Longer than packets are in flight. */
export const LEAVE_MS = 5000

export function nextMove(move: Move, view: MoveView): Move {
  const { now } = view
  switch (move.kind) {
    case 'reaching':
      if (isAsGood(view, now - move.since)) return { kind: 'leaving', since: now }
      return now - move.since >= REACH_MS ? { kind: 'given-up' } : move
    case 'leaving':
      return now - move.since >= LEAVE_MS ? { kind: 'moved' } : move
    case 'moved':
    case 'given-up':
      return move
  }
}

function isAsGood({ hasAnswered, wasDirect, isDirect }: MoveView, elapsedMs: number): boolean {
  return hasAnswered && (isDirect || !wasDirect || elapsedMs >= DIRECT_MS)
}
