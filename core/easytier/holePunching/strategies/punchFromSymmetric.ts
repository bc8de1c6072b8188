import { sleep } from '@lantern-room/base/async'
import { natTypes } from '#easytier/nat/natType'
import { randomFraction, randomId } from '#easytier/random'
import { parseIpv4 } from '#easytier/wire/addresses'
import { type Endpoint, toSocketAddr } from '#easytier/wire/socketAddress'
import { waitForPunch } from '../sockets/waitForPunch'
import { connectThrough } from './connectThrough'
import { newSocket, selectListener } from './punchCone'
import type { PunchContext } from './punchContext'
import { isPredictable } from './punchPlan'
import { CallRefused } from './rpcClient'

/**
 * Our router maps each target to another port, the other router keeps one: many sockets here send to one listener there, so that
 * many ports of our router let that listener in, and the listener tries ports until it hits one of them.
 */

/** With 84 ports open, one in 770 is hit. */
export const MANY_SOCKETS = 84
/** Keeps the ports open. */
const SEND_EVERY_MS = 500
/** A real server's run takes up to 3.5 s, one of ours 3.2 s. */
const RUN_MS = 4500
const RUNS = 4
const AFTER_RUNS_MS = 1000
const BUSY_PAUSE_MS = 300
const BUSY_TRIES = 20
/** How far servers search from the port that a predictable router gave last. */
const PREDICTED_PORTS = 50
/** Ports that a real server tries in one run: where its answer is lost, that many are skipped. */
const PORTS_PER_RUN = 800

type Target = { readonly peerId: number; readonly listener: Endpoint; readonly transactionId: number }

/** The client's part. */
export async function punchFromSymmetric(
  context: PunchContext,
  peerId: number,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const { sockets, datagrams, clock } = context
  const listener = await selectListener(context, peerId, failures > 0, signal)
  const lastPort = isPredictable(context.natInfo().udp) ? await portOfNewSocket(context, signal) : undefined
  const many = await sockets.openMany(MANY_SOCKETS)
  const finished = new AbortController()
  const either = AbortSignal.any([signal, finished.signal])
  try {
    const target = { peerId, listener, transactionId: randomId(context.randomBytes) }
    const received = waitForPunch(clock, {
      sockets: many,
      transactionId: target.transactionId,
      everyMs: SEND_EVERY_MS,
      signal: either,
      limitMs: (RUNS + 1) * (RUN_MS + BUSY_TRIES * BUSY_PAUSE_MS),
      send: () => {
        for (const { udp } of many) datagrams.punch(udp, target.transactionId, listener, peerId)
      },
    })
    requestRuns(context, target, lastPort, either)
      .then(() => sleep(clock, AFTER_RUNS_MS, either))
      .then(() => finished.abort(new Error('no port was hit')), finished.abort.bind(finished))
    const punch = await received
    finished.abort()
    for (const socket of many) if (socket !== punch.socket) socket.release()
    await connectThrough(context, punch, peerId, signal)
  } finally {
    finished.abort()
    for (const socket of many) socket.release()
  }
}

/** Asks the other side to try ports, first the predicted ones if there are any. @throws Error when it refuses */
async function requestRuns(
  context: PunchContext,
  target: Target,
  lastPort: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (lastPort !== undefined) await requestPredictedRun(context, target, lastPort, signal)
  let portIndex = Math.floor(randomFraction(context.randomBytes) * 65_535)
  let refusals = 0
  for (let runs = 0; runs < RUNS; ) {
    const outcome = await requestRun(context, target, portIndex, signal)
    if (outcome === 'busy') {
      refusals += 1
      if (refusals > BUSY_TRIES) throw new CallRefused('the member stays busy')
      await sleep(context.clock, BUSY_PAUSE_MS, signal)
    } else {
      portIndex = outcome.nextPortIndex
      runs += 1
    }
  }
}

async function requestPredictedRun(
  context: PunchContext,
  target: Target,
  lastPort: number,
  signal: AbortSignal,
): Promise<void> {
  const { listenerMappedAddr, publicIps, transactionId } = commonFields(context, target)
  const request = {
    listenerMappedAddr,
    publicIps,
    transactionId,
    basePortNum: lastPort,
    maxPortNum: PREDICTED_PORTS,
    isIncremental: context.natInfo().udp === natTypes.symmetricEasyIncreasing,
  }
  const { rpcClient } = context
  await rpcClient
    .call(target.peerId, 'sendPunchPacketEasySym', request, RUN_MS, signal)
    .catch(() => undefined)
}

/** @throws CallRefused for any other reason than being busy, or the signal's reason */
async function requestRun(
  context: PunchContext,
  target: Target,
  portIndex: number,
  signal: AbortSignal,
): Promise<'busy' | { readonly nextPortIndex: number }> {
  // Always the first round: servers send less in later ones.
  const { listenerMappedAddr, publicIps, transactionId } = commonFields(context, target)
  const request = { listenerMappedAddr, publicIps, transactionId, portIndex, round: 1 }
  const { rpcClient } = context
  try {
    const answer = await rpcClient.call(target.peerId, 'sendPunchPacketHardSym', request, RUN_MS, signal)
    return { nextPortIndex: answer?.nextPortIndex ?? portIndex + PORTS_PER_RUN }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof CallRefused)) return { nextPortIndex: portIndex + PORTS_PER_RUN }
    if (error.isBusy) return 'busy'
    throw error
  }
}

function commonFields({ natInfo }: PunchContext, { listener, transactionId }: Target) {
  const publicIps = natInfo().addresses.flatMap((address) => {
    const addr = parseIpv4(address)
    return addr === undefined ? [] : [{ addr }]
  })
  return { listenerMappedAddr: toSocketAddr(listener), publicIps, transactionId }
}

/** The port that our router has given to the socket that was opened last: the next ones follow it. */
async function portOfNewSocket(context: PunchContext, signal: AbortSignal): Promise<number> {
  const { socket, mapped } = await newSocket(context, signal)
  socket.release()
  return mapped.port
}
