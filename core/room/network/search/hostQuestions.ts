import { type Clock, sleep } from '@lantern-room/base/async'
import type { RemotePeer } from '@lantern-room/easytier'
import type { HostProof } from './hostProof'
import type { KnownHost } from './knownHost'

/** A silent member may still be searching for a path; it delays none of the others. */
const SILENT_AGAIN_MS = 250
/** Another member may have answered in the host's name. */
const OTHER_AGAIN_MS = 2000

type HostQuestionsOptions = {
  readonly proof: Pick<HostProof, 'ask'>
  readonly known: Pick<KnownHost, 'accepts'>
  /** Called once for each member. */
  readonly onHost: (peerId: number) => void
  /** Called when a member has answered and is not the host. */
  readonly onOther?: (peerId: number) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Asks all members that claim to be the host for a proof, at the same time. */
export function createHostQuestions(options: HostQuestionsOptions) {
  const asked = new Map<number, AbortController>()

  return {
    /** Asks these members until each has proved that it is the host, and stops asking all others. */
    ask(peerIds: readonly number[]): void {
      for (const [peerId, controller] of asked) {
        if (peerIds.includes(peerId)) continue
        asked.delete(peerId)
        controller.abort(new Error('the question is not needed any more'))
      }
      for (const peerId of peerIds) if (!asked.has(peerId)) begin(peerId)
    },
  }

  function begin(peerId: number): void {
    const controller = new AbortController()
    asked.set(peerId, controller)
    const asking = AbortSignal.any([options.signal, controller.signal])
    untilProved(peerId, options, asking).catch(() => undefined)
  }
}

/** @throws the signal's reason */
async function untilProved(
  peerId: number,
  { proof, known, onHost, onOther, clock }: HostQuestionsOptions,
  asking: AbortSignal,
): Promise<void> {
  for (;;) {
    const answer = await proof.ask(peerId, asking)
    asking.throwIfAborted()
    if (answer?.kind === 'host' && known.accepts(answer.key)) return onHost(peerId)
    if (answer) onOther?.(peerId)
    await sleep(clock, answer ? OTHER_AGAIN_MS : SILENT_AGAIN_MS, asking)
  }
}

/** The answers of the members that claim to be the host, during a search. */
export function createHostAnswers(options: {
  readonly proof: Pick<HostProof, 'ask'>
  readonly known: KnownHost
  readonly onAnswer: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
}) {
  /** In the order of their answers. */
  const proved = new Set<number>()
  const others = new Set<number>()
  const questions = createHostQuestions({
    proof: options.proof,
    known: options.known,
    clock: options.clock,
    signal: options.signal,
    onHost(peerId) {
      proved.add(peerId)
      others.delete(peerId)
      options.onAnswer()
    },
    onOther: (peerId) => void others.add(peerId),
  })

  const needsProof = options.known.key() !== undefined

  return {
    needsProof,
    /** Whether no key tells which of these is meant. */
    areSeveral: (hosts: readonly RemotePeer[]): boolean => !needsProof && hosts.length > 1,
    /** Asks these members, and stops asking all others. */
    ask: (hosts: readonly RemotePeer[]): void => questions.ask(hosts.map(idOf)),
    /** The candidates that have answered as the host, in the order of their answers. */
    proved: (hosts: readonly RemotePeer[]): readonly RemotePeer[] =>
      [...proved].flatMap((peerId) => hosts.find((host) => idOf(host) === peerId) ?? []),
    others: (hosts: readonly RemotePeer[]): readonly RemotePeer[] =>
      hosts.filter((host) => others.has(idOf(host))),
  }
}

function idOf({ record }: RemotePeer): number {
  return record.peerId
}
