import { repeat } from '#core/async/repeat'
import { type NatType, natTypes } from '#core/easytier/nat/natType'
import { parseIpv4 } from '#core/easytier/wire/addresses'
import { type Endpoint, fromSocketAddr } from '#core/easytier/wire/socketAddress'
import { LOWEST_PORT, punchable } from '../sockets/punchDatagrams'
import { type ReceivedPunch, waitForPunch } from '../sockets/waitForPunch'
import { connectThrough } from './connectThrough'
import { newSocket } from './punchCone'
import { newTransactionId, type PunchContext, randomFraction } from './punchContext'
import { MANY_SOCKETS } from './punchFromSymmetric'
import { CallRefused } from './rpcClient'

/**
 * The call `sendPunchPacketBothEasySym`: the member opens many sockets towards one address of ours. It lets a side whose router
 * keeps its port reach one whose router does not, and two sides with predictable routers each other.
 */

/** A real node that has to query its own address first answers late. */
const CALL_MS = 6000
/** The longest that real servers wait. */
const WAIT_MS = 8000
/** At this rate of ports of the other router, half of the attempts hit after 1 s, all but one in 100 after 8 s. */
const PORTS_PER_SECOND = 500
const MAX_PORTS = 4000
const SEND_EVERY_MS = 10
/** The other side makes a listener of its socket once it receives a datagram of ours. */
const ANSWER_EVERY_MS = 100

/** For two predictable routers: the number of sockets, and the distance from the port that was given last. */
const FEW_SOCKETS = 25
const PORTS_AHEAD = 20
const FEW_WAIT_MS = 5000
const FEW_RECEIVE_MS = 6000
const FEW_SEND_EVERY_MS = 100

type Target = { readonly transactionId: number; readonly peerId: number }

/** The client's part behind a router that keeps its port: one socket here tries ports of the other router. */
export async function punchTowardsSymmetric(
  context: PunchContext,
  peerId: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams } = context
  const { socket, mapped } = await newSocket(context, signal)
  try {
    const transactionId = newTransactionId(context)
    const far = await requestSockets(
      context,
      peerId,
      { count: MANY_SOCKETS, sendTo: mapped, transactionId, waitMs: WAIT_MS },
      signal,
    )
    const startedAt = clock.now()
    let sent = 0
    const received = await waitForPunch(clock, {
      sockets: [socket],
      transactionId,
      limitMs: WAIT_MS,
      everyMs: SEND_EVERY_MS,
      signal,
      send() {
        const due = ((clock.now() - startedAt + SEND_EVERY_MS) / 1000) * PORTS_PER_SECOND
        for (; sent < due && sent < MAX_PORTS; sent += 1) {
          const port = LOWEST_PORT + Math.floor(randomFraction(context) * (65_536 - LOWEST_PORT))
          datagrams.punch(socket.udp, transactionId, { address: far.address, port }, peerId)
        }
      },
    })
    await connectWhileAnswering(context, received, { transactionId, peerId }, signal)
  } finally {
    socket.release()
  }
}

/** The client's part where both routers are predictable. @param other the NAT type of the member */
export async function punchPredictable(
  context: PunchContext,
  peerId: number,
  other: NatType,
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams, sockets } = context
  const probe = await newSocket(context, signal)
  probe.socket.release()
  const few = await sockets.openMany(FEW_SOCKETS)
  try {
    const transactionId = newTransactionId(context)
    const sendTo = predictedPort(probe.mapped, context.natInfo().udp)
    const base = await requestSockets(
      context,
      peerId,
      { count: FEW_SOCKETS, sendTo, transactionId, waitMs: FEW_WAIT_MS },
      signal,
    )
    const far = predictedPort(base, other)
    const received = await waitForPunch(clock, {
      sockets: few,
      transactionId,
      limitMs: FEW_RECEIVE_MS,
      everyMs: FEW_SEND_EVERY_MS,
      signal,
      send() {
        for (const { udp } of few) datagrams.punch(udp, transactionId, far, peerId)
      },
    })
    for (const socket of few) if (socket !== received.socket) socket.release()
    await connectWhileAnswering(context, received, { transactionId, peerId }, signal)
  } finally {
    for (const socket of few) socket.release()
  }
}

async function connectWhileAnswering(
  context: PunchContext,
  received: ReceivedPunch,
  { transactionId, peerId }: Target,
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams } = context
  const end = repeat(clock, ANSWER_EVERY_MS, signal, () =>
    datagrams.punch(received.socket.udp, transactionId, received.from, peerId),
  )
  try {
    await connectThrough(context, received, peerId, signal)
  } finally {
    end()
  }
}

/** @returns the public address of a new socket of the other side */
async function requestSockets(
  { rpcClient }: PunchContext,
  peerId: number,
  wanted: {
    readonly count: number
    readonly sendTo: Endpoint
    readonly transactionId: number
    readonly waitMs: number
  },
  signal: AbortSignal,
): Promise<Endpoint> {
  const request = {
    udpSocketCount: wanted.count,
    publicIp: { addr: parseIpv4(wanted.sendTo.address) ?? 0 },
    dstPortNum: wanted.sendTo.port,
    transactionId: wanted.transactionId,
    waitTimeMs: wanted.waitMs,
  }
  const response = await rpcClient.call(peerId, 'sendPunchPacketBothEasySym', request, CALL_MS, signal)
  if (response?.isBusy) throw new CallRefused('the member is busy')
  return punchable(fromSocketAddr(response?.baseMappedAddr))
}

function predictedPort({ address, port }: Endpoint, type: NatType): Endpoint {
  return { address, port: port + (type === natTypes.symmetricEasyDecreasing ? -PORTS_AHEAD : PORTS_AHEAD) }
}
