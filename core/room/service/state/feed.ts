import { createEmitter } from '#core/async/emitter'
import type { GameServersRecord } from '../../game/gameRecords'
import type { KnownGuest, Profile } from '../../profiles'
import type { PlayerConnection } from './playerConnections'
import type { LauncherState, Role } from './stages'
import type { StatusReport } from './statusReport'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** A message of `/ws`. `index` rises by one with each message; a client resumes after the last one that it received. */
export type FeedMessage =
  | {
      readonly type: 'state'
      readonly state: LauncherState
      readonly role: Role | null
      readonly room: string | null
      readonly index: number
    }
  | { readonly type: 'profiles'; readonly profiles: readonly Profile[]; readonly index: number }
  | {
      readonly type: 'guests'
      readonly guests: readonly KnownGuest[]
      readonly connections: readonly PlayerConnection[]
      readonly index: number
    }
  | ({ readonly type: 'status'; readonly index: number } & StatusReport)
  | ({ readonly type: 'worlds'; readonly index: number } & GameServersRecord)
  | {
      readonly type: 'log'
      readonly level: (typeof LOG_LEVELS)[number]
      readonly message: string
      /** ISO 8601, UTC. */
      readonly timestamp: string
      /** Set for entries that programs may act on. */
      readonly code?: string
      /** The fields of an entry with a code, which its text shows as JSON. */
      readonly fields?: Readonly<Record<string, unknown>>
      readonly index: number
    }

type WithoutIndex<M> = M extends unknown ? Omit<M, 'index'> : never

export type Feed = {
  /** Differs from one run of the program to the next: an index means something in its own run only. */
  readonly runId: string
  /** @returns the index of the message */
  publish(message: WithoutIndex<FeedMessage>): number
  /** Index of the last message; 0 before the first. */
  index(): number
  /**
   * The messages after `index`, without lists and statuses that a later one has replaced.
   * @returns undefined when some of them are no longer kept, or `index` is in the future
   */
  since(index: number): readonly FeedMessage[] | undefined
  /** @returns a function that unsubscribes */
  subscribe(listener: (message: FeedMessage) => void): () => void
}

const RING_LENGTH = 1000

export function createFeed(runId: string): Feed {
  const ring: FeedMessage[] = []
  const messages = createEmitter<FeedMessage>()
  let last = 0
  /** Index of the last message that fell out at the end of the ring. */
  let lost = 0

  return {
    runId,
    publish(message) {
      last += 1
      const numbered = { ...message, index: last } as FeedMessage
      dropReplaced(numbered.type)
      ring.push(numbered)
      if (ring.length > RING_LENGTH) lost = ring.shift()?.index ?? lost
      messages.emit(numbered)
      return last
    },
    index: () => last,
    since(index) {
      if (index > last || index < lost) return undefined
      return ring.filter((message) => message.index > index)
    },
    subscribe: messages.subscribe,
  }

  /** Lists and statuses are whole: a later one says all that a client needs. */
  function dropReplaced(type: FeedMessage['type']): void {
    if (type === 'state' || type === 'log') return
    const at = ring.findLastIndex((message) => message.type === type)
    if (at >= 0) ring.splice(at, 1)
  }
}
