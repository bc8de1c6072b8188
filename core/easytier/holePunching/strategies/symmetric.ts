import { sleep } from '#core/async/alarm'
import { natTypes } from '#core/easytier/nat/natType'
import { parseIpv4 } from '#core/easytier/wire/addresses'
import { rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { fraction, newTid, type PunchContext } from '../punchContext'
import { isPredictable } from '../punchPlan'
import { CallRefused } from '../rpcClient'
import { waitForPunch } from '../sockets/waitForPunch'
import { freshSocket, selectListener } from './cone'
import { connectThrough } from './connect'

/**
 * Our router gives each target another port, the other one keeps its own: many sockets here send to one listener there, so
 * that many ports of our router let that listener in, and it tries ports until it hits one of them.
 */

/** With 84 ports open, one in 770 is hit. */
export const MANY_SOCKETS = 84
/** Only to keep the ports open. */
const KEEP_OPEN_MS = 500
/** A real server's run takes up to 3.5 s, one of ours 3.2 s. */
const RUN_MS = 4500
const RUNS = 4
const AFTER_RUNS_MS = 1000
const BUSY_MS = 300
const BUSY_TRIES = 20
/** How far servers look from the port that a predictable router gave last. */
const FORESEEN_PORTS = 50
/** So many ports a real server tries in one run: where its answer is lost, that many are skipped. */
const PORTS_IN_RUN = 800

type Run = { readonly peerId: number; readonly far: Endpoint; readonly tid: number }

/** The client's part. */
export async function punchFromSymmetric(
  context: PunchContext,
  peerId: number,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const { sockets, datagrams, clock } = context
  const far = await selectListener(context, peerId, failures > 0, signal)
  const base = isPredictable(context.view().udp) ? await lastPort(context, signal) : undefined
  const many = await sockets.openMany(MANY_SOCKETS)
  const asking = new AbortController()
  const either = AbortSignal.any([signal, asking.signal])
  try {
    const run = { peerId, far, tid: newTid(context) }
    const hearing = waitForPunch(clock, {
      sockets: many,
      tid: run.tid,
      everyMs: KEEP_OPEN_MS,
      signal: either,
      limitMs: (RUNS + 1) * (RUN_MS + BUSY_TRIES * BUSY_MS),
      send: () => {
        for (const { udp } of many) datagrams.punch(udp, run.tid, far, peerId)
      },
    })
    askForRuns(context, run, base, either)
      .then(() => sleep(clock, AFTER_RUNS_MS, either))
      .then(() => asking.abort(new Error('no port was hit')), asking.abort.bind(asking))
    const heard = await hearing
    asking.abort()
    for (const socket of many) if (socket !== heard.socket) socket.release()
    await connectThrough(context, heard, peerId, signal)
  } finally {
    asking.abort()
    for (const socket of many) socket.release()
  }
}

/** Has the other side try ports, until the signal ends it. @throws Error when it will not */
async function askForRuns(
  context: PunchContext,
  run: Run,
  base: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { asking, clock, view } = context
  const publicIps = view().addresses.flatMap((address) => {
    const addr = parseIpv4(address)
    return addr === undefined ? [] : [{ addr }]
  })
  const fixed = { listenerMappedAddr: toSocketAddr(run.far), publicIps, transactionId: run.tid }
  if (base !== undefined) {
    const isIncremental = view().udp === natTypes.symmetricEasyIncreasing
    const request = rpcMethods.sendPunchPacketEasySym.request.encode({
      ...fixed,
      basePortNum: base,
      maxPortNum: FORESEEN_PORTS,
      isIncremental,
    })
    await asking.ask(run.peerId, 'sendPunchPacketEasySym', request, RUN_MS, signal).catch(() => undefined)
  }
  let portIndex = Math.floor(fraction(context) * 65_535)
  let waits = 0
  for (let runs = 0; runs < RUNS; ) {
    // Always the first round: servers send less in later ones.
    const request = rpcMethods.sendPunchPacketHardSym.request.encode({ ...fixed, portIndex, round: 1 })
    try {
      const answer = await asking.ask(run.peerId, 'sendPunchPacketHardSym', request, RUN_MS, signal)
      const next = rpcMethods.sendPunchPacketHardSym.response.decode(answer)?.nextPortIndex
      portIndex = next ?? portIndex + PORTS_IN_RUN
      runs += 1
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CallRefused) {
        waits += 1
        if (!error.isBusy || waits > BUSY_TRIES) throw error
        await sleep(clock, BUSY_MS, signal)
      } else {
        portIndex += PORTS_IN_RUN
        runs += 1
      }
    }
  }
}

/** What our router has given to the socket that was opened last: the next ones follow. */
async function lastPort(context: PunchContext, signal: AbortSignal): Promise<number> {
  const { socket, mapped } = await freshSocket(context, signal)
  socket.release()
  return mapped.port
}
