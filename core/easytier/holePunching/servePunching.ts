import { createTokenBuckets } from '#core/tokenBuckets'
import type { Peer } from '../peer/peer'
import { RpcRefusal, rpcProblemOf } from '../rpc/rpcMessage'
import { type RpcMethodName, rpcMethods } from '../wire/messages'
import { fromSocketAddr, toSocketAddr } from '../wire/socketAddress'
import { punchable } from './sockets/punchDatagrams'
import { createManySocketsServer } from './strategies/manySocketsServer'
import { createPortSprayer } from './strategies/portSprayer'
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

type Answer = (request: Uint8Array, from: number, signal: AbortSignal) => Promise<Uint8Array>

/** Answers the RPC calls by which members ask for help with hole punching. */
export function servePunching({ peer, context, isMember, signalFor }: PunchServerOptions): void {
  const { clock, datagrams, listeners, log } = context
  const portSprayer = createPortSprayer(context)
  const manySockets = createManySocketsServer(context, (socket, connection) => {
    socket.carry(connection)
    context.attach(connection, { isDialler: false, isPunched: true })
  })
  const calls = createTokenBuckets(clock, CALLS_PER_MEMBER)
  const tcpCalls = createTokenBuckets(clock, TCP_CALLS_PER_MEMBER)
  const allTcpCalls = createTokenBuckets(clock, TCP_CALLS)

  answer('sendUdpHolePunchPacket', async (request, from) => {
    const call = decoded(rpcMethods.sendUdpHolePunchPacket.request.decode(request))
    const listener = listeners.ofPort(call.listenerPort)
    if (!listener) throw new RpcRefusal('this is no listener of ours')
    const to = punchable(fromSocketAddr(call.connectorAddr))
    const transactionId = newTransactionId(context)
    for (let count = 0; count < OPENING_DATAGRAMS; count += 1)
      datagrams.punch(listener.udp, transactionId, to, from)
    return EMPTY
  })
  answer('selectPunchListener', async (request) => {
    const { forceNew } = decoded(rpcMethods.selectPunchListener.request.decode(request))
    const mapped = await listeners.select(forceNew)
    return rpcMethods.selectPunchListener.response.encode({ listenerMappedAddr: toSocketAddr(mapped) })
  })
  answer('sendPunchPacketCone', async (request, from, signal) => {
    const call = decoded(rpcMethods.sendPunchPacketCone.request.decode(request))
    await servePunchCone(context, call, from, signal)
    return EMPTY
  })
  answer('sendPunchPacketHardSym', async (request, from, signal) => {
    const call = decoded(rpcMethods.sendPunchPacketHardSym.request.decode(request))
    const nextPortIndex = await portSprayer.sprayAll(call, from, signal)
    return rpcMethods.sendPunchPacketHardSym.response.encode({ nextPortIndex })
  })
  answer('sendPunchPacketEasySym', async (request, from, signal) => {
    const call = decoded(rpcMethods.sendPunchPacketEasySym.request.decode(request))
    await portSprayer.sprayPredicted(call, from, signal)
    return EMPTY
  })
  answer('sendPunchPacketBothEasySym', async (request, from, signal) => {
    const call = decoded(rpcMethods.sendPunchPacketBothEasySym.request.decode(request))
    const base = await manySockets.serve(call, from, signal)
    return rpcMethods.sendPunchPacketBothEasySym.response.encode(
      base ? { baseMappedAddr: toSocketAddr(base) } : { isBusy: true },
    )
  })
  answer('exchangeMappedAddr', async (request, from, signal) => {
    const call = decoded(rpcMethods.exchangeMappedAddr.request.decode(request))
    const to = punchable(fromSocketAddr(call.connectorMappedAddr))
    if (!tcpCalls.take(String(from)) || !allTcpCalls.take('all')) throw new RpcRefusal('too many calls')
    const mapped = await servePunchTcp(context, to, from, signal)
    return rpcMethods.exchangeMappedAddr.response.encode({ listenerMappedAddr: toSocketAddr(mapped) })
  })

  function answer(method: RpcMethodName, act: Answer): void {
    peer.handle(method, (request, from, reply) => {
      const refusal = refusalOf(from)
      if (refusal) return reply({ kind: 'error', error: rpcProblemOf(refusal) })
      // A signal for each call: many calls add listeners at the same time.
      act(request, from, AbortSignal.any([signalFor(from)])).then(
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

const EMPTY = new Uint8Array(0)

/** @throws RpcRefusal for a request that cannot be decoded */
function decoded<T>(request: T | undefined): T {
  if (request === undefined) throw new RpcRefusal('the request cannot be read')
  return request
}
