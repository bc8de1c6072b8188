import type { Clock } from '@lantern-room/base/async'
import { createDeferred, raceSignal, repeat } from '@lantern-room/base/async'
import type { Peer } from '#easytier/peer/peer'
import type { CallResult } from '#easytier/peer/rpcCalls'
import {
  codecsOf,
  type Encodable,
  type ResponseOf,
  type RpcMethodName,
  type RpcMethods,
  rpcMethods,
} from '#easytier/wire/messages'

/** The member answered with an error; the message is its own text or the kind of the error. */
export class CallRefused extends Error {
  /** It serves another member at the moment. */
  get isBusy(): boolean {
    return /busy/i.test(this.message)
  }

  /** It does not know the method. */
  get isFinal(): boolean {
    return this.message === 'invalidService' || this.message === 'invalidMethodIndex'
  }
}

const READY_EVERY_MS = 250
/** Members on other nodes of a cluster learn of us up to 10 s late. */
const READY_LIMIT_MS = 11_000

/** Calls of members as promises that a signal can abort. */
export function createPunchRpcClient(clock: Clock, peer: Pick<Peer, 'call'>) {
  const readyPeers = new Set<number>()

  return {
    /** @returns undefined for a damaged answer. @throws CallRefused when the member refuses, Error when it does not answer in time */
    async call<Method extends RpcMethodName>(
      peerId: number,
      method: Method,
      request: Encodable<RpcMethods[Method]['request']>,
      timeoutMs: number,
      signal: AbortSignal,
    ): Promise<ResponseOf<Method> | undefined> {
      signal.throwIfAborted()
      const codecs = codecsOf(method)
      const result = createDeferred<CallResult>()
      peer.call(peerId, method, codecs.request.encode(request), timeoutMs, result.resolve)
      return codecs.response.decode(responseIn(await raceSignal(result.promise, signal), method))
    },
    /**
     * Resolves once the member has answered anything. We know of it before it knows of us, and until then it acts on calls
     * whose answers get lost; so the first call is one without an effect. @throws Error after 11 s
     */
    async ready(peerId: number, signal: AbortSignal): Promise<void> {
      if (readyPeers.has(peerId)) return
      await firstAnswer(peerId, signal)
      readyPeers.add(peerId)
    },
    /** Forgets members that have left: another one may come with the same peer id. */
    forget(isPresent: (peerId: number) => boolean): void {
      for (const peerId of readyPeers) if (!isPresent(peerId)) readyPeers.delete(peerId)
    },
  }

  async function firstAnswer(peerId: number, signal: AbortSignal): Promise<void> {
    const request = rpcMethods.getGlobalPeerMap.request.encode({})
    const until = clock.now() + READY_LIMIT_MS
    const answered = createDeferred()
    const stop = repeat(clock, READY_EVERY_MS, signal, () => {
      if (clock.now() >= until) return answered.reject(new Error('the member does not answer'))
      peer.call(peerId, 'getGlobalPeerMap', request, READY_LIMIT_MS, ({ kind }) => {
        if (kind !== 'silence') answered.resolve()
      })
    })
    try {
      await raceSignal(answered.promise, signal)
    } finally {
      stop()
    }
  }
}

function responseIn(result: CallResult, method: RpcMethodName): Uint8Array {
  if (result.kind === 'response') return result.response
  if (result.kind === 'silence') throw new Error(`no answer to ${method}`)
  const { case: kind, value } = result.error
  throw new CallRefused((value && 'errorMessage' in value && value.errorMessage) || kind)
}
