import { type Clock, sleep } from '#core/async/clock'
import type { Answer, HostAnswer, HostProof } from './hostProof'
import type { KnownHost } from './knownHost'

/** One that does not answer may be searching for a path; it delays none of the others. */
const SILENT_AGAIN_MS = 250
/** Another member may have answered in the host's name. */
const OTHER_AGAIN_MS = 2000

export type HostQuestions = {
  /** Asks these members until each has proved that it is the host, and the others no more. */
  ask(peerIds: readonly number[]): void
}

/** Asks all members that call themselves the host at the same time who they are. */
export function createHostQuestions(options: {
  readonly proof: Pick<HostProof, 'ask'>
  readonly known: Pick<KnownHost, 'accepts'>
  /** Called once for each member; the stream of the answer belongs to the callee. */
  readonly onHost: (peerId: number, answer: HostAnswer) => void
  /** It has answered, and is not the host. */
  readonly onOther?: (peerId: number) => void
  readonly clock: Clock
  /** Ends all questions. */
  readonly signal: AbortSignal
}): HostQuestions {
  const { proof, known, onHost, onOther, clock, signal } = options
  const asked = new Map<number, AbortController>()

  return {
    ask(peerIds) {
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
    untilProved(peerId, AbortSignal.any([signal, controller.signal])).catch(() => undefined)
  }

  /** @throws the signal's reason */
  async function untilProved(peerId: number, asking: AbortSignal): Promise<void> {
    for (;;) {
      const answer = await proof.ask(peerId, asking)
      const host = asHost(answer)
      if (host && !asking.aborted) return onHost(peerId, host)
      host?.stream.destroy()
      asking.throwIfAborted()
      if (answer) onOther?.(peerId)
      await sleep(clock, answer ? OTHER_AGAIN_MS : SILENT_AGAIN_MS, asking)
    }
  }

  function asHost(answer: Answer | undefined): HostAnswer | undefined {
    if (answer?.kind !== 'host') return undefined
    if (known.accepts(answer.key)) return answer
    answer.stream.destroy()
    return undefined
  }
}
