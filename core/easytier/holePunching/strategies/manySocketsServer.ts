import { repeat, sleep } from '@lantern-room/base/async'
import { formatIpv4 } from '#easytier/wire/addresses'
import type { RequestOf } from '#easytier/wire/messages'
import { type Endpoint, formatEndpoint } from '#easytier/wire/socketAddress'
import { punchable } from '../sockets/punchDatagrams'
import type { PunchSocket } from '../sockets/punchSockets'
import type { ReceivedPunch } from '../sockets/waitForPunch'
import { newSocket } from './punchCone'
import type { PunchContext } from './punchContext'

const MAX_SOCKETS = 100
const MAX_WAIT_MS = 8000
/** The first datagram opens the router, the further ones only make up for losses. */
const OPEN_EVERY_MS = 500
const ANSWER_EVERY_MS = 100
/** For the handshake of a caller that comes through at the last moment. */
const EXTRA_WAIT_MS = 1000

type Caller = {
  readonly address: Endpoint
  readonly transactionId: number
  readonly peerId: number
  readonly waitMs: number
}

/** Answers `sendPunchPacketBothEasySym`: many sockets here, which all send to one address of the caller. */
export function createManySocketsServer(context: PunchContext) {
  const { sockets, attach, clock, datagrams, log } = context
  let isBusy = false
  return serve

  /**
   * Resolves at once with the public address of a new socket; the sockets stay open until the caller is connected or its time is
   * over.
   * @returns undefined while it serves another call
   */
  async function serve(
    call: RequestOf<'sendPunchPacketBothEasySym'>,
    from: number,
    signal: AbortSignal,
  ): Promise<Endpoint | undefined> {
    if (isBusy) return undefined
    const { addr } = call.publicIp ?? { addr: 0 }
    const address = punchable({ address: formatIpv4(addr), port: call.dstPortNum })
    const caller = { address, transactionId: call.transactionId, peerId: from, waitMs: call.waitTimeMs }
    isBusy = true
    try {
      const base = await newSocket(context, signal)
      base.socket.release()
      const many = await sockets.openMany(Math.min(call.udpSocketCount, MAX_SOCKETS))
      void serveCaller(many, caller, signal)
      return base.mapped
    } catch (error) {
      isBusy = false
      throw error
    }
  }

  async function serveCaller(
    many: readonly PunchSocket[],
    caller: Caller,
    signal: AbortSignal,
  ): Promise<void> {
    const ends = punch(many, caller, signal)
    try {
      await sleep(clock, Math.min(caller.waitMs, MAX_WAIT_MS), signal)
      await sleep(clock, EXTRA_WAIT_MS, signal)
    } catch {
      log.debug('the sockets that were open for a member are no longer needed', { member: caller.peerId })
    } finally {
      for (const end of ends) end()
      for (const socket of many) socket.release()
      isBusy = false
    }
  }

  /** Sends to the caller, and answers what comes from it. @returns functions that end this */
  function punch(
    many: readonly PunchSocket[],
    { address, transactionId, peerId }: Caller,
    signal: AbortSignal,
  ): readonly (() => void)[] {
    const received = new Map<string, ReceivedPunch>()
    const unsubscribe = many.map((socket) => {
      socket.udp.accept((connection) => {
        socket.carry(connection)
        attach(connection, { isDialler: false, isPunched: true })
      })
      return socket.udp.onPunch(({ tid, from }) => {
        // A caller has one address, or a few when it is behind a symmetric router itself.
        if (tid === transactionId && received.size < MAX_SOCKETS)
          received.set(`${socket.udp.port} ${formatEndpoint(from)}`, { socket, from })
      })
    })
    const stopOpening = repeat(clock, OPEN_EVERY_MS, signal, () => {
      for (const { udp } of many) datagrams.punch(udp, transactionId, address, peerId)
    })
    const stopAnswering = repeat(clock, ANSWER_EVERY_MS, signal, () => {
      for (const { socket, from } of received.values())
        datagrams.punch(socket.udp, transactionId, from, peerId)
    })
    return [...unsubscribe, stopOpening, stopAnswering]
  }
}
