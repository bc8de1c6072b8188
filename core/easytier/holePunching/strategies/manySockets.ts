import { type NatType, natTypes } from '#core/easytier/nat/natType'
import { parseIpv4 } from '#core/easytier/wire/addresses'
import { type Decoded, rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, fromSocketAddr } from '#core/easytier/wire/socketAddress'
import { fraction, newTid, type PunchContext } from '../punchContext'
import { CallRefused } from '../rpcClient'
import { LOWEST_PORT, punchable } from '../sockets/targets'
import { waitForPunch } from '../sockets/waitForPunch'
import { repeat } from '../timing'
import { freshSocket } from './cone'
import { connectThrough } from './connect'
import { MANY_SOCKETS } from './symmetric'

/**
 * Method 5: the side that is asked opens many sockets towards one address of the asking side. Whoever has a router that
 * keeps its port can so reach somebody whose router does not; and two whose routers can be foreseen, each other.
 */

/** A real node whose own view is cold answers late. */
const CALL_MS = 6000
/** The longest that real servers wait. */
const WAIT_MS = 8000
/** So fast, so many ports of the other router are tried: half of the attempts hit after 1 s, all but one in 100 after 8 s. */
const PORTS_PER_SECOND = 500
const MAX_PORTS = 4000
const EVERY_MS = 10
/** The other side makes a listener of its socket once it hears us: so often we say where we are. */
const ANSWER_EVERY_MS = 100

/** For two predictable routers: so many sockets, aimed so far from the port that was given last. */
const FEW_SOCKETS = 25
const AHEAD = 20
const FEW_WAIT_MS = 5000
const FEW_HEAR_MS = 6000
const FEW_EVERY_MS = 100

export type ManySocketsCall = Decoded<(typeof rpcMethods)['sendPunchPacketBothEasySym']['request']>

/** The client's part behind a router that keeps its port: one socket here tries ports of the other router. */
export async function punchTowardsSymmetric(
  context: PunchContext,
  peerId: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams } = context
  const { socket, mapped } = await freshSocket(context, signal)
  try {
    const tid = newTid(context)
    const far = await askForSockets(
      context,
      peerId,
      { count: MANY_SOCKETS, aim: mapped, tid, waitMs: WAIT_MS },
      signal,
    )
    const startedAt = clock.now()
    let sent = 0
    const heard = await waitForPunch(clock, {
      sockets: [socket],
      tid,
      limitMs: WAIT_MS,
      everyMs: EVERY_MS,
      signal,
      send() {
        const due = ((clock.now() - startedAt + EVERY_MS) / 1000) * PORTS_PER_SECOND
        for (; sent < due && sent < MAX_PORTS; sent += 1) {
          const port = LOWEST_PORT + Math.floor(fraction(context) * (65_536 - LOWEST_PORT))
          datagrams.punch(socket.udp, tid, { address: far.address, port }, peerId)
        }
      },
    })
    await connectWhileAnswering(context, { ...heard, tid, peerId }, signal)
  } finally {
    socket.release()
  }
}

/** The client's part where both routers can be foreseen. @param other the type of the member's router */
export async function punchPredictable(
  context: PunchContext,
  peerId: number,
  other: NatType,
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams, sockets } = context
  const probe = await freshSocket(context, signal)
  probe.socket.release()
  const few = await sockets.openMany(FEW_SOCKETS)
  try {
    const tid = newTid(context)
    const aim = ahead(probe.mapped, context.view().udp)
    const far = ahead(
      await askForSockets(context, peerId, { count: FEW_SOCKETS, aim, tid, waitMs: FEW_WAIT_MS }, signal),
      other,
    )
    const heard = await waitForPunch(clock, {
      sockets: few,
      tid,
      limitMs: FEW_HEAR_MS,
      everyMs: FEW_EVERY_MS,
      signal,
      send() {
        for (const { udp } of few) datagrams.punch(udp, tid, far, peerId)
      },
    })
    for (const socket of few) if (socket !== heard.socket) socket.release()
    await connectWhileAnswering(context, { ...heard, tid, peerId }, signal)
  } finally {
    for (const socket of few) socket.release()
  }
}

async function connectWhileAnswering(
  context: PunchContext,
  {
    tid,
    peerId,
    ...heard
  }: Parameters<typeof connectThrough>[1] & { readonly tid: number; readonly peerId: number },
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams } = context
  const end = repeat(clock, ANSWER_EVERY_MS, signal, () =>
    datagrams.punch(heard.socket.udp, tid, heard.from, peerId),
  )
  try {
    await connectThrough(context, heard, peerId, signal)
  } finally {
    end()
  }
}

/** @returns as what the internet sees a fresh socket of the other side */
async function askForSockets(
  { asking }: PunchContext,
  peerId: number,
  wish: { readonly count: number; readonly aim: Endpoint; readonly tid: number; readonly waitMs: number },
  signal: AbortSignal,
): Promise<Endpoint> {
  const request = rpcMethods.sendPunchPacketBothEasySym.request.encode({
    udpSocketCount: wish.count,
    publicIp: { addr: parseIpv4(wish.aim.address) ?? 0 },
    dstPortNum: wish.aim.port,
    transactionId: wish.tid,
    waitTimeMs: wish.waitMs,
  })
  const answer = await asking.ask(peerId, 'sendPunchPacketBothEasySym', request, CALL_MS, signal)
  const response = rpcMethods.sendPunchPacketBothEasySym.response.decode(answer)
  if (response?.isBusy) throw new CallRefused('the member is busy with somebody else')
  return punchable(fromSocketAddr(response?.baseMappedAddr))
}

function ahead({ address, port }: Endpoint, type: NatType): Endpoint {
  return { address, port: port + (type === natTypes.symmetricEasyDecreasing ? -AHEAD : AHEAD) }
}
