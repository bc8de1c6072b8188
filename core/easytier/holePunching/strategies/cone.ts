import { sleep } from '#core/async/alarm'
import { type Decoded, rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, fromSocketAddr, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { mappedOf, newTid, type PunchContext } from '../punchContext'
import type { PunchSocket } from '../sockets/punchSockets'
import { punchable } from '../sockets/targets'
import { waitForPunch } from '../sockets/waitForPunch'
import { repeat } from '../timing'
import { connectThrough } from './connect'

/** Both routers keep one port for a socket: each side sends to the other's public address, which opens its own router. */

const CALL_MS = 3000
/**
 * A real server that has no listener yet looks for a router with UPnP (1 s) and asks it for a mapping by NAT-PMP (1 s, twice),
 * all of it in vain with many.
 */
const SELECT_MS = 9000
const HEAR_MS = 5000
const EVERY_MS = 200
/** What we ask for: over 2 s, since the other side's first datagrams may come before ours have opened our router. */
const ASKED = { packetCountPerBatch: 2, packetBatchCount: 5, packetIntervalMs: 400 }

/** Bounds for what others ask for. */
const MAX_PER_BATCH = 5
const MAX_BATCHES = 10
const MAX_INTERVAL_MS = 1000
const LEAST_INTERVAL_MS = 50
/** A real caller goes on for 1 s after our answer, and is the sooner at its next method. */
const ANSWER_AFTER_MS = 1000

/**
 * The client's part. At first with the room's own sockets, whose addresses are known already: that saves two round trips. A
 * router that has once mixed them up gets new ones the next time.
 */
export async function punchCone(
  context: PunchContext,
  peerId: number,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const { datagrams, asking, clock } = context
  const isFirst = failures === 0
  const coming = isFirst ? ownSocket(context) : freshSocket(context, signal)
  const [far, near] = await Promise.all([selectListener(context, peerId, !isFirst, signal), coming]).catch(
    (error: unknown) => {
      coming.then(({ socket }) => socket.release()).catch(() => undefined)
      throw error
    },
  )
  try {
    const tid = newTid(context)
    const hearing = waitForPunch(clock, {
      sockets: [near.socket],
      tid,
      limitMs: HEAR_MS,
      everyMs: EVERY_MS,
      signal,
      send: () => datagrams.punch(near.socket.udp, tid, far, peerId),
    })
    const request = rpcMethods.sendPunchPacketCone.request.encode({
      listenerMappedAddr: toSocketAddr(far),
      destAddr: toSocketAddr(near.mapped),
      transactionId: tid,
      ...ASKED,
    })
    // It is answered after its last datagram, or because of one that is not sent: only the datagrams matter.
    asking.ask(peerId, 'sendPunchPacketCone', request, CALL_MS, signal).catch(() => undefined)
    await connectThrough(context, await hearing, peerId, signal)
  } finally {
    near.socket.release()
  }
}

/** Where the member wants to be aimed at. @throws Error */
export async function selectListener(
  { asking }: Pick<PunchContext, 'asking'>,
  peerId: number,
  isNew: boolean,
  signal: AbortSignal,
): Promise<Endpoint> {
  const request = rpcMethods.selectPunchListener.request.encode({ forceNew: isNew })
  const answer = await asking.ask(peerId, 'selectPunchListener', request, SELECT_MS, signal)
  const response = rpcMethods.selectPunchListener.response.decode(answer)
  return punchable(fromSocketAddr(response?.listenerMappedAddr))
}

export type ConeCall = Decoded<(typeof rpcMethods)['sendPunchPacketCone']['request']>

/** The server's part: sends from the listener that was given to the client. Resolves when it may be answered. */
export async function servePunchCone(
  { clock, datagrams, listeners }: PunchContext,
  call: ConeCall,
  from: number,
  signal: AbortSignal,
): Promise<void> {
  const listener = listeners.find(punchable(fromSocketAddr(call.listenerMappedAddr)))
  const to = punchable(fromSocketAddr(call.destAddr))
  const perBatch = Math.min(call.packetCountPerBatch, MAX_PER_BATCH)
  const batches = Math.min(call.packetBatchCount, MAX_BATCHES)
  const interval = Math.min(Math.max(call.packetIntervalMs, LEAST_INTERVAL_MS), MAX_INTERVAL_MS)
  let sent = 0
  repeat(clock, interval, signal, (end) => {
    if (sent === batches) return end()
    sent += 1
    for (let at = 0; at < perBatch; at += 1) datagrams.punch(listener.udp, call.transactionId, to, from)
  })
  await sleep(clock, Math.min(ANSWER_AFTER_MS, batches * interval), signal).catch(() => undefined)
}

type Mapped = { readonly socket: PunchSocket; readonly mapped: Endpoint }

async function ownSocket({ listeners }: PunchContext): Promise<Mapped> {
  return { socket: listeners.own, mapped: await listeners.ownAddress() }
}

/** @throws Error; nothing is left open then */
export async function freshSocket(context: PunchContext, signal: AbortSignal): Promise<Mapped> {
  const socket = await context.sockets.open()
  try {
    return { socket, mapped: await mappedOf(context, socket, signal) }
  } catch (error) {
    socket.release()
    throw error
  }
}
