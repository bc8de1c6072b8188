import type { Clock } from '#core/async/clock'
import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import type { HostAnswer, HostProof } from './hostProof'
import { createHostQuestions } from './hostQuestions'
import type { KnownHost } from './knownHost'

/** What the members that call themselves the host have answered during a search. */
export type HostAnswers = {
  /** Whether the host's key is known. */
  readonly needsProof: boolean
  /** Whether no key tells which of these is meant. */
  areSeveral(hosts: readonly RemotePeer[]): boolean
  /** Asks these, and no others any more. */
  ask(hosts: readonly RemotePeer[]): void
  /** Those of them that have answered as the host, the first one first. */
  proved(hosts: readonly RemotePeer[]): readonly RemotePeer[]
  /** Those of them that have answered otherwise. */
  others(hosts: readonly RemotePeer[]): readonly RemotePeer[]
  /** The answer of the host that was found; its stream is not closed with the others. */
  take(host: RemotePeer): HostAnswer | undefined
  stop(): void
}

export function createHostAnswers(options: {
  readonly proof: Pick<HostProof, 'ask'>
  readonly known: KnownHost
  readonly onAnswer: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
}): HostAnswers {
  const stopping = new AbortController()
  /** In the order of their answers. */
  const proved = new Map<number, HostAnswer>()
  const others = new Set<number>()
  const questions = createHostQuestions({
    ...options,
    signal: AbortSignal.any([options.signal, stopping.signal]),
    onHost(peerId, answer) {
      proved.get(peerId)?.stream.destroy()
      proved.set(peerId, answer)
      others.delete(peerId)
      options.onAnswer()
    },
    onOther: (peerId) => void others.add(peerId),
  })

  const needsProof = options.known.key() !== undefined

  return {
    needsProof,
    areSeveral: (hosts) => !needsProof && hosts.length > 1,
    ask: (hosts) => questions.ask(hosts.map(idOf)),
    proved: (hosts) =>
      [...proved.keys()].flatMap((peerId) => hosts.find((host) => idOf(host) === peerId) ?? []),
    others: (hosts) => hosts.filter((host) => others.has(idOf(host))),
    take(host) {
      const answer = proved.get(idOf(host))
      proved.delete(idOf(host))
      return answer
    },
    stop() {
      stopping.abort(new Error('the search for the host is over'))
      for (const { stream } of proved.values()) stream.destroy()
    },
  }
}

function idOf({ record }: RemotePeer): number {
  return record.peerId
}
