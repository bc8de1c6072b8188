import { createTokenBuckets } from '@lantern-room/base/limits'
import type { Peer } from '../peer/peer'
import { randomId } from '../random'
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
import { createManySocketsServer } from './strategies/manySocketsServer'
import { createPortSprayer } from './strategies/portSprayer'
import { servePunchCone } from './strategies/punchCone'
import type { PunchContext } from './strategies/punchContext'
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
export function servePunching({ peer, context, isMember, signalFor }: PunchServerOptions): void {
  const { clock, listeners, log } = context
  const portSprayer = createPortSprayer(context)
  const manySockets = createManySocketsServer(context)
  const calls = createTokenBuckets(clock, CALLS_PER_MEMBER)
  const tcpCalls = createTokenBuckets(clock, TCP_CALLS_PER_MEMBER)
  const allTcpCalls = createTokenBuckets(clock, TCP_CALLS)

  handle('sendUdpHolePunchPacket', async (call, from) => openFirewall(context, call, from))
  handle('selectPunchListener', async ({ forceNew }) => ({
    listenerMappedAddr: toSocketAddr(await listeners.select(forceNew)),
  }))
  handle('sendPunchPacketCone', async (call, from, signal) => {
    await servePunchCone(context, call, from, signal)
    return {}
  })
  handle('sendPunchPacketHardSym', async (call, from, signal) => ({
    nextPortIndex: await portSprayer.sprayAll(call, from, signal),
  }))
  handle('sendPunchPacketEasySym', async (call, from, signal) => {
    await portSprayer.sprayPredicted(call, from, signal)
    return {}
  })
  handle('sendPunchPacketBothEasySym', async (call, from, signal) => {
    const base = await manySockets(call, from, signal)
    return base ? { baseMappedAddr: toSocketAddr(base) } : { isBusy: true }
  })
  handle('exchangeMappedAddr', async (call, from, signal) => {
    const to = punchable(fromSocketAddr(call.connectorMappedAddr))
    const isAllowed = tcpCalls.take(String(from)) && allTcpCalls.take('all')
    if (!isAllowed) throw new RpcRefusal('too many calls')
    return { listenerMappedAddr: toSocketAddr(await servePunchTcp(context, to, from, signal)) }
  })

  function handle<Method extends RpcMethodName>(method: Method, answer: Answer<Method>): void {
    const codecs = codecsOf(method)
    const respond = async (request: Uint8Array, from: number, signal: AbortSignal) => {
      const call = codecs.request.decode(request)
      if (call === undefined) throw new RpcRefusal('the request cannot be read')
      return codecs.response.encode(await answer(call, from, signal))
    }
    peer.handle(method, (request, from, reply) => {
      const refusal = refusalOf(from)
      if (refusal) return reply({ kind: 'error', error: rpcProblemOf(refusal) })
      // A signal for each call: many calls add listeners at the same time.
      respond(request, from, AbortSignal.any([signalFor(from)])).then(
        (response) => reply({ kind: 'response', response }),
        (error: unknown) => {
          log.debug('a hole punching call failed', { method, member: from, cause: String(error) })
          reply({ kind: 'error', error: rpcProblemOf(error) })
        },
      )
    })
  }

  function refusalOf(from: number): RpcRefusal | undefined {
    if (!isMember(from)) return new RpcRefusal('only members are served')
    return calls.take(String(from)) ? undefined : new RpcRefusal('too many calls')
  }
}

function openFirewall(context: PunchContext, call: RequestOf<'sendUdpHolePunchPacket'>, from: number) {
  const { datagrams, listeners } = context
  const listener = listeners.ofPort(call.listenerPort)
  if (!listener) throw new RpcRefusal('this is no listener of ours')
  const { connectorAddr, connectorAddrs } = call
  const named = connectorAddrs.length > 0 ? connectorAddrs : [connectorAddr]
  const endpoints = named.slice(0, MAX_OPENED).flatMap((one) => fromSocketAddr(one) ?? [])
  const targets = endpoints.filter(isPunchable)
  if (targets.length === 0) throw new RpcRefusal('no address that can be punched')
  const transactionId = randomId(context.randomBytes)
  for (let count = 0; count < OPENING_DATAGRAMS; count += 1)
    for (const to of targets) datagrams.punch(listener.udp, transactionId, to, from)
  return {}
}
