import { repeat, sleep } from '@lantern-room/base/async'
import { randomId } from '#easytier/random'
import type { RequestOf } from '#easytier/wire/messages'
import { type Endpoint, fromSocketAddr, toSocketAddr } from '#easytier/wire/socketAddress'
import { punchable } from '../sockets/punchDatagrams'
import type { PunchSocket } from '../sockets/punchSockets'
import { waitForPunch } from '../sockets/waitForPunch'
import { connectThrough } from './connectThrough'
import { mappedAddressOf, type PunchContext } from './punchContext'

/** Both routers keep one port for a socket: each side sends to the other's public address, which opens its own router. */

const CALL_MS = 3000
/**
 * A real server that has no listener yet looks for a router with UPnP (1 s) and asks it for a mapping by NAT-PMP (1 s, twice),
 * in many cases in vain.
 */
const SELECT_MS = 9000
const RECEIVE_MS = 5000
const SEND_EVERY_MS = 200
/** The datagrams that we ask for: over 2 s, since the other side's first datagrams may come before ours have opened our router. */
const REQUESTED = { perBatch: 2, batches: 5, intervalMs: 400 }

/** Limits for what others ask for. */
const MAX_PER_BATCH = 5
const MAX_BATCHES = 10
const MAX_INTERVAL_MS = 1000
const MIN_INTERVAL_MS = 50
/** A real caller keeps waiting for 1 s after our answer before it tries its next method. */
const ANSWER_AFTER_MS = 1000

/**
 * The client's part. The first time with the network's own sockets, whose addresses are known: that saves two round trips. After
 * a failure with new ones.
 */
export async function punchCone(
  context: PunchContext,
  peerId: number,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const { datagrams, rpcClient, clock } = context
  const isFirst = failures === 0
  const opening = isFirst ? ownSocket(context) : newSocket(context, signal)
  const [far, near] = await Promise.all([selectListener(context, peerId, !isFirst, signal), opening]).catch(
    (error: unknown) => {
      opening.then(({ socket }) => socket.release()).catch(() => undefined)
      throw error
    },
  )
  try {
    const transactionId = randomId(context.randomBytes)
    const received = waitForPunch(clock, {
      sockets: [near.socket],
      transactionId,
      limitMs: RECEIVE_MS,
      everyMs: SEND_EVERY_MS,
      signal,
      send: () => datagrams.punch(near.socket.udp, transactionId, far, peerId),
    })
    const request = {
      listenerMappedAddr: toSocketAddr(far),
      destAddr: toSocketAddr(near.mapped),
      transactionId,
      packetCountPerBatch: REQUESTED.perBatch,
      packetBatchCount: REQUESTED.batches,
      packetIntervalMs: REQUESTED.intervalMs,
    }
    // The answer follows the last datagram, or reports one that was not sent: only the datagrams matter.
    rpcClient.call(peerId, 'sendPunchPacketCone', request, CALL_MS, signal).catch(() => undefined)
    await connectThrough(context, await received, peerId, signal)
  } finally {
    near.socket.release()
  }
}

/** @returns the public address of a listener of the member. @throws Error */
export async function selectListener(
  { rpcClient }: Pick<PunchContext, 'rpcClient'>,
  peerId: number,
  isNew: boolean,
  signal: AbortSignal,
): Promise<Endpoint> {
  const request = { forceNew: isNew }
  const response = await rpcClient.call(peerId, 'selectPunchListener', request, SELECT_MS, signal)
  return punchable(fromSocketAddr(response?.listenerMappedAddr))
}

/** The server's part: sends from the listener that the client has selected. Resolves when the call may be answered. */
export async function servePunchCone(
  { clock, datagrams, listeners }: PunchContext,
  call: RequestOf<'sendPunchPacketCone'>,
  from: number,
  signal: AbortSignal,
): Promise<void> {
  const listener = listeners.find(punchable(fromSocketAddr(call.listenerMappedAddr)))
  const to = punchable(fromSocketAddr(call.destAddr))
  const perBatch = Math.min(call.packetCountPerBatch, MAX_PER_BATCH)
  const batches = Math.min(call.packetBatchCount, MAX_BATCHES)
  const interval = Math.min(Math.max(call.packetIntervalMs, MIN_INTERVAL_MS), MAX_INTERVAL_MS)
  let sent = 0
  repeat(clock, interval, signal, (end) => {
    if (sent === batches) return end()
    sent += 1
    for (let count = 0; count < perBatch; count += 1)
      datagrams.punch(listener.udp, call.transactionId, to, from)
  })
  await sleep(clock, Math.min(ANSWER_AFTER_MS, batches * interval), signal).catch(() => undefined)
}

type MappedSocket = { readonly socket: PunchSocket; readonly mapped: Endpoint }

async function ownSocket({ listeners }: PunchContext): Promise<MappedSocket> {
  return { socket: listeners.own, mapped: await listeners.ownAddress() }
}

/** Opens a socket and queries its public address. @throws Error; then nothing is left open */
export async function newSocket(context: PunchContext, signal: AbortSignal): Promise<MappedSocket> {
  const socket = await context.sockets.open()
  try {
    return { socket, mapped: await mappedAddressOf(context, socket, signal) }
  } catch (error) {
    socket.release()
    throw error
  }
}
