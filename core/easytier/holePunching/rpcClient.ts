import type { Clock } from '#core/clock'
import { abortReason } from '#core/errors'
import type { Peer } from '../peer/peer'
import { type RpcMethodName, rpcMethods } from '../wire/messages'
import { repeat } from './timing'

/** Calls of a member, as promises that stop by a signal. */
export type PunchRpcClient = {
  /** @returns the answer's bytes. @throws CallRefused when the member says no, Error when it says nothing */
  ask(
    peerId: number,
    method: RpcMethodName,
    request: Uint8Array,
    ms: number,
    signal: AbortSignal,
  ): Promise<Uint8Array>
  /**
   * Resolves once the member has answered anything. We see it before it sees us, and until then it does what it is asked
   * while its answer is lost; so it is first asked for something that has no effect. @throws Error after 10 s
   */
  ready(peerId: number, signal: AbortSignal): Promise<void>
  /** Of members that have gone: another one may come with the same number. */
  forget(isPresent: (peerId: number) => boolean): void
}

/** The member's own words. */
export class CallRefused extends Error {
  /** It serves somebody else at the moment. */
  get isBusy(): boolean {
    return /busy/i.test(this.message)
  }

  /** It does not know the call, and will not the next time. */
  get isFinal(): boolean {
    return this.message === 'unknown-service' || this.message === 'unknown-method'
  }
}

const READY_EVERY_MS = 250
/** Members on other nodes of a cluster hear of us up to 10 s late. */
const READY_LIMIT_MS = 11_000

export function createPunchRpcClient(clock: Clock, node: () => Pick<Peer, 'call'>): PunchRpcClient {
  const seen = new Set<number>()

  return {
    ask,
    async ready(peerId, signal) {
      if (seen.has(peerId)) return
      const request = rpcMethods.getGlobalPeerMap.request.encode({})
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(abortReason(signal))
        const until = clock.now() + READY_LIMIT_MS
        const onAbort = () => reject(abortReason(signal))
        signal.addEventListener('abort', onAbort, { once: true })
        repeat(clock, READY_EVERY_MS, signal, (end) => {
          const finish = (settle: () => void) => {
            end()
            signal.removeEventListener('abort', onAbort)
            settle()
          }
          if (clock.now() >= until) return finish(() => reject(new Error('the member does not hear us')))
          node().call(peerId, 'getGlobalPeerMap', request, READY_LIMIT_MS, ({ kind }) => {
            if (kind !== 'silence') finish(resolve)
          })
        })
      })
      seen.add(peerId)
    },
    forget(isPresent) {
      for (const peerId of seen) if (!isPresent(peerId)) seen.delete(peerId)
    },
  }

  function ask(
    peerId: number,
    method: RpcMethodName,
    request: Uint8Array,
    ms: number,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal))
      const onAbort = () => reject(abortReason(signal))
      signal.addEventListener('abort', onAbort, { once: true })
      node().call(peerId, method, request, ms, (result) => {
        signal.removeEventListener('abort', onAbort)
        if (result.kind === 'answer') resolve(result.response)
        else if (result.kind === 'silence') reject(new Error(`no answer to ${method}`))
        else reject(new CallRefused('text' in result.error ? result.error.text : result.error.kind))
      })
    })
  }
}
