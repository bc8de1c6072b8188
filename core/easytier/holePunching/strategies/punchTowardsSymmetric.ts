import { repeat } from '@lantern-room/base/async'
import { LOWEST_PORT } from '@lantern-room/base/network'
import { type NatType, natTypes } from '#easytier/nat/natType'
import { randomFraction, randomId } from '#easytier/random'
import { parseIpv4 } from '#easytier/wire/addresses'
import { type Endpoint, fromSocketAddr } from '#easytier/wire/socketAddress'
import { punchable } from '../sockets/punchDatagrams'
import type { PunchSocket } from '../sockets/punchSockets'
import { waitForPunch } from '../sockets/waitForPunch'
import { connectThrough } from './connectThrough'
import { newSocket } from './punchCone'
import type { PunchContext } from './punchContext'
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

/** The client's part behind a router that keeps its port: one socket here tries ports of the other router. */
export async function punchTowardsSymmetric(
  context: PunchContext,
  peerId: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams } = context
  const { socket, mapped } = await newSocket(context, signal)
  const tryPorts = ({ address }: Endpoint, transactionId: number) => {
    const startedAt = clock.now()
    let sent = 0
    return () => {
      const due = ((clock.now() - startedAt + SEND_EVERY_MS) / 1000) * PORTS_PER_SECOND
      for (; sent < due && sent < MAX_PORTS; sent += 1) {
        const port = LOWEST_PORT + Math.floor(randomFraction(context.randomBytes) * (65_536 - LOWEST_PORT))
        datagrams.punch(socket.udp, transactionId, { address, port }, peerId)
      }
    }
  }
  const wanted = { count: MANY_SOCKETS, sendTo: mapped, waitMs: WAIT_MS }
  const sending = { sockets: [socket], limitMs: WAIT_MS, everyMs: SEND_EVERY_MS, sender: tryPorts }
  await punchFromSockets(context, peerId, wanted, sending, signal)
}

/** The client's part where both routers are predictable. @param other the NAT type of the member */
export async function punchPredictable(
  context: PunchContext,
  peerId: number,
  other: NatType,
  signal: AbortSignal,
): Promise<void> {
  const probe = await newSocket(context, signal)
  probe.socket.release()
  const few = await context.sockets.openMany(FEW_SOCKETS)
  const sender = (base: Endpoint, transactionId: number) => () => {
    const far = predictedPort(base, other)
    for (const { udp } of few) context.datagrams.punch(udp, transactionId, far, peerId)
  }
  const sendTo = predictedPort(probe.mapped, context.natInfo().udp)
  const wanted = { count: FEW_SOCKETS, sendTo, waitMs: FEW_WAIT_MS }
  const sending = { sockets: few, limitMs: FEW_RECEIVE_MS, everyMs: FEW_SEND_EVERY_MS, sender }
  await punchFromSockets(context, peerId, wanted, sending, signal)
}

/**
 * Has the other side open sockets, sends from ours until one of them is reached, and connects through it. Releases ours.
 * @param sending.sender what is sent again and again, once the public address of a new socket of the other side is known
 */
async function punchFromSockets(
  context: PunchContext,
  peerId: number,
  wanted: { readonly count: number; readonly sendTo: Endpoint; readonly waitMs: number },
  sending: {
    readonly sockets: readonly PunchSocket[]
    readonly limitMs: number
    readonly everyMs: number
    readonly sender: (far: Endpoint, transactionId: number) => () => void
  },
  signal: AbortSignal,
): Promise<void> {
  const { clock, datagrams, rpcClient } = context
  const { sockets, limitMs, everyMs, sender } = sending
  const transactionId = randomId(context.randomBytes)
  try {
    const request = {
      udpSocketCount: wanted.count,
      publicIp: { addr: parseIpv4(wanted.sendTo.address) ?? 0 },
      dstPortNum: wanted.sendTo.port,
      transactionId,
      waitTimeMs: wanted.waitMs,
    }
    const response = await rpcClient.call(peerId, 'sendPunchPacketBothEasySym', request, CALL_MS, signal)
    if (response?.isBusy) throw new CallRefused('the member is busy')
    const send = sender(punchable(fromSocketAddr(response?.baseMappedAddr)), transactionId)
    const received = await waitForPunch(clock, { sockets, transactionId, limitMs, everyMs, signal, send })
    const { socket, from } = received
    for (const one of sockets) if (one !== socket) one.release()
    const answer = () => datagrams.punch(socket.udp, transactionId, from, peerId)
    const stopAnswering = repeat(clock, ANSWER_EVERY_MS, signal, answer)
    await connectThrough(context, received, peerId, signal).finally(stopAnswering)
  } finally {
    for (const socket of sockets) socket.release()
  }
}

function predictedPort({ address, port }: Endpoint, type: NatType): Endpoint {
  return { address, port: port + (type === natTypes.symmetricEasyDecreasing ? -PORTS_AHEAD : PORTS_AHEAD) }
}
