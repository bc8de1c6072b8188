import { createEmitter } from '#core/async/emitter'
import type { Profile } from '../profiles'
import type { LauncherState, Role } from './stages'

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
      readonly type: 'log'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly message: string
      /** ISO 8601, UTC. */
      readonly timestamp: string
      readonly index: number
    }

type WithoutIndex<M> = M extends unknown ? Omit<M, 'index'> : never

export type Feed = {
  /** @returns the index of the message */
  publish(message: WithoutIndex<FeedMessage>): number
  /** Index of the last message; 0 before the first. */
  index(): number
  /** @returns the messages after `index`; undefined when some of them are no longer kept, or `index` is in the future */
  since(index: number): readonly FeedMessage[] | undefined
  /** @returns a function that unsubscribes */
  subscribe(listener: (message: FeedMessage) => void): () => void
}

const RING_LENGTH = 1000

export function createFeed(): Feed {
  const ring: FeedMessage[] = []
  const messages = createEmitter<FeedMessage>()
  let last = 0

  return {
    publish(message) {
      last += 1
      const numbered = { ...message, index: last } as FeedMessage
      ring.push(numbered)
      if (ring.length > RING_LENGTH) ring.shift()
      messages.emit(numbered)
      return last
    },
    index: () => last,
    since(index) {
      if (index > last || index < 0) return undefined
      const oldest = last - ring.length
      return index < oldest ? undefined : ring.slice(index - oldest)
    },
    subscribe: messages.subscribe,
  }
}
