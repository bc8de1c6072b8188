import type { Profile } from '../profiles'
import type { LauncherState, Role } from './stages'

/** What `/ws` tells. `index` rises by one with each message; a client resumes after the last one that it saw. */
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
      readonly type: 'log'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly message: string
      /** ISO 8601, UTC. */
      readonly timestamp: string
      readonly index: number
    }

type WithoutIndex<M> = M extends unknown ? Omit<M, 'index'> : never

export type Feed = {
  /** @returns the index that the message got */
  publish(message: WithoutIndex<FeedMessage>): number
  /** Index of the last message; 0 before the first. */
  index(): number
  /** @returns what came after `index`; undefined when the ring no longer holds all of it */
  since(index: number): readonly FeedMessage[] | undefined
  /** @returns a function that takes the listener off */
  subscribe(listener: (message: FeedMessage) => void): () => void
}

const RING_LENGTH = 1000

export function createFeed(): Feed {
  const ring: FeedMessage[] = []
  const listeners = new Set<(message: FeedMessage) => void>()
  let last = 0

  return {
    publish(message) {
      last += 1
      const numbered = { ...message, index: last } as FeedMessage
      ring.push(numbered)
      if (ring.length > RING_LENGTH) ring.shift()
      for (const listener of listeners) listener(numbered)
      return last
    },
    index: () => last,
    since(index) {
      if (index > last || index < 0) return undefined
      const oldest = last - ring.length
      return index < oldest ? undefined : ring.slice(index - oldest)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
