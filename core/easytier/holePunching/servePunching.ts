import { createTokenBuckets, type TokenBuckets } from '#core/tokenBuckets'
import type { Peer } from '../peer/peer'
import { RpcRefusal, rpcProblemOf } from '../rpc/rpcMessage'
import {
  codecsOf,
  type Encodable,
  type RequestOf,
  type RpcMethodName,
  type RpcMethods,
} from '../wire/messages'
import { fromSocketAddr, toSocketAddr } from '../wire/socketAddress'
import { isPunchable, punchable } from './sockets/punchDatagrams'
import { ManySocketsServer } from './strategies/manySocketsServer'
import { PortSprayer } from './strategies/portSprayer'
import { servePunchCone } from './strategies/punchCone'
import { newTransactionId, type PunchContext } from './strategies/punchContext'
import { servePunchTcp } from './strategies/punchTcp'

export type PunchServerOptions = {
  readonly peer: Pick<Peer, 'handle'>
  readonly context: PunchContext
  readonly isMember: (peerId: number) => boolean
  readonly signalFor: (peerId: number) => AbortSignal
}

/** Real callers make at most one call each second, ours a dozen in a whole first attempt. */
const CALLS_PER_MEMBER = { perSecond: 2, burst: 30 }
/** Each of them dials an address that the caller names, up to five times. */
const TCP_CALLS_PER_MEMBER = { perSecond: 0.2, burst: 5 }
const TCP_CALLS = { perSecond: 1, burst: 10 }
/** Sent before a member dials our listener, to open our side of a firewall. */
const OPENING_DATAGRAMS = 3
/** Addresses of one caller that a firewall is opened to: as many as EasyTier names. */
const MAX_OPENED = 16

type Answer<Method extends RpcMethodName> = (
  call: RequestOf<Method>,
  from: number,
  signal: AbortSignal,
) => Promise<Encodable<RpcMethods[Method]['response']>>

/** Answers the RPC calls by which members ask for help with hole punching. */
export function servePunching(options: PunchServerOptions): void {
  new PunchServer(options).serve()
}

class PunchServer {
  readonly #options: PunchServerOptions
  readonly #context: PunchContext
  readonly #portSprayer: PortSprayer
  readonly #manySockets: ManySocketsServer
  readonly #calls: TokenBuckets
  readonly #tcpCalls: TokenBuckets
  readonly #allTcpCalls: TokenBuckets

  constructor(options: PunchServerOptions) {
    const { context } = options
    this.#options = options
    this.#context = context
    this.#portSprayer = new PortSprayer(context)
    this.#manySockets = new ManySocketsServer(context)
    this.#calls = createTokenBuckets(context.clock, CALLS_PER_MEMBER)
    this.#tcpCalls = createTokenBuckets(context.clock, TCP_CALLS_PER_MEMBER)
    this.#allTcpCalls = createTokenBuckets(context.clock, TCP_CALLS)
  }

  serve(): void {
    this.#handle('sendUdpHolePunchPacket', async (call, from) => this.#openFirewall(call, from))
    this.#handle('selectPunchListener', async ({ forceNew }) => ({
      listenerMappedAddr: toSocketAddr(await this.#context.listeners.select(forceNew)),
    }))
    this.#handle('sendPunchPacketCone', async (call, from, signal) => {
      await servePunchCone(this.#context, call, from, signal)
      return {}
    })
    this.#handle('sendPunchPacketHardSym', async (call, from, signal) => ({
      nextPortIndex: await this.#portSprayer.sprayAll(call, from, signal),
    }))
    this.#handle('sendPunchPacketEasySym', async (call, from, signal) => {
      await this.#portSprayer.sprayPredicted(call, from, signal)
      return {}
    })
    this.#handle('sendPunchPacketBothEasySym', async (call, from, signal) => {
      const base = await this.#manySockets.serve(call, from, signal)
      return base ? { baseMappedAddr: toSocketAddr(base) } : { isBusy: true }
    })
    this.#handle('exchangeMappedAddr', async (call, from, signal) => {
      const to = punchable(fromSocketAddr(call.connectorMappedAddr))
      const isAllowed = this.#tcpCalls.take(String(from)) && this.#allTcpCalls.take('all')
      if (!isAllowed) throw new RpcRefusal('too many calls')
      return { listenerMappedAddr: toSocketAddr(await servePunchTcp(this.#context, to, from, signal)) }
    })
  }

  #handle<Method extends RpcMethodName>(method: Method, answer: Answer<Method>): void {
    const { peer, signalFor } = this.#options
    const codecs = codecsOf(method)
    const respond = async (request: Uint8Array, from: number, signal: AbortSignal) => {
      const call = codecs.request.decode(request)
      if (call === undefined) throw new RpcRefusal('the request cannot be read')
      return codecs.response.encode(await answer(call, from, signal))
    }
    peer.handle(method, (request, from, reply) => {
      const refusal = this.#refusalOf(from)
      if (refusal) return reply({ kind: 'error', error: rpcProblemOf(refusal) })
      // A signal for each call: many calls add listeners at the same time.
      respond(request, from, AbortSignal.any([signalFor(from)])).then(
        (response) => reply({ kind: 'response', response }),
        (error: unknown) => {
          const { log } = this.#context
          log.debug('a hole punching call failed', { method, member: from, cause: String(error) })
          reply({ kind: 'error', error: rpcProblemOf(error) })
        },
      )
    })
  }

  #refusalOf(from: number): RpcRefusal | undefined {
    if (!this.#options.isMember(from)) return new RpcRefusal('only members are served')
    return this.#calls.take(String(from)) ? undefined : new RpcRefusal('too many calls')
  }

  #openFirewall(call: RequestOf<'sendUdpHolePunchPacket'>, from: number): object {
    const { datagrams, listeners } = this.#context
    const listener = listeners.ofPort(call.listenerPort)
    if (!listener) throw new RpcRefusal('this is no listener of ours')
    const { connectorAddr, connectorAddrs } = call
    const named = connectorAddrs.length > 0 ? connectorAddrs : [connectorAddr]
    const endpoints = named.slice(0, MAX_OPENED).flatMap((one) => fromSocketAddr(one) ?? [])
    const targets = endpoints.filter(isPunchable)
    if (targets.length === 0) throw new RpcRefusal('no address that can be punched')
    const transactionId = newTransactionId(this.#context)
    for (let count = 0; count < OPENING_DATAGRAMS; count += 1)
      for (const to of targets) datagrams.punch(listener.udp, transactionId, to, from)
    return {}
  }
}
