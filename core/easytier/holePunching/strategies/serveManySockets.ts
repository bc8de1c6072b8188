import { sleep } from '#core/async/alarm'
import { formatIpv4 } from '#core/easytier/wire/addresses'
import { type Endpoint, formatEndpoint } from '#core/easytier/wire/socketAddress'
import type { PunchContext } from '../punchContext'
import type { PunchSocket } from '../sockets/punchSockets'
import { punchable } from '../sockets/targets'
import { repeat } from '../timing'
import { freshSocket } from './cone'
import type { ManySocketsCall } from './manySockets'

/** The server's part of method 5: many sockets here, which all send to one address of the caller. */
export type ManySockets = {
  /**
   * Resolves at once with the public address of a fresh socket, and goes on until the caller is connected or its time is over.
   * @returns undefined when it is busy
   */
  serve(call: ManySocketsCall, from: number, signal: AbortSignal): Promise<Endpoint | undefined>
}

const MAX_SOCKETS = 100
const MAX_WAIT_MS = 8000
/** Each socket says so often that it is there: the first time opens the router, the others only make up for losses. */
const OPEN_EVERY_MS = 500
const ANSWER_EVERY_MS = 100
/** The handshake of a caller that has come through in the last moment. */
const AFTER_MS = 1000

export function createManySockets(context: PunchContext, onLink: TakeLink): ManySockets {
  const { clock, datagrams, log, sockets } = context
  let isBusy = false

  return {
    async serve(call, from, signal) {
      if (isBusy) return undefined
      const { addr } = call.publicIp ?? { addr: 0 }
      const to = punchable({ address: formatIpv4(addr), port: call.dstPortNum })
      isBusy = true
      let many: readonly PunchSocket[] = []
      try {
        const base = await freshSocket(context, signal)
        base.socket.release()
        many = await sockets.openMany(Math.min(call.udpSocketCount, MAX_SOCKETS))
        void hold(many, { to, tid: call.transactionId, from, waitMs: call.waitTimeMs }, signal)
        return base.mapped
      } catch (error) {
        isBusy = false
        throw error
      }
    },
  }

  async function hold(
    many: readonly PunchSocket[],
    wish: { readonly to: Endpoint; readonly tid: number; readonly from: number; readonly waitMs: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { to, tid, from } = wish
    const heard = new Map<string, { readonly socket: PunchSocket; readonly at: Endpoint }>()
    const takeOff = many.map((socket) => {
      socket.udp.accept((link) => onLink(socket, link))
      return socket.udp.onPunch((number, at) => {
        // A caller has one address, or a few when it is behind such a router itself.
        if (number === tid && heard.size < MAX_SOCKETS)
          heard.set(`${socket.udp.port} ${formatEndpoint(at)}`, { socket, at })
      })
    })
    const ends = [
      repeat(clock, OPEN_EVERY_MS, signal, () => {
        for (const { udp } of many) datagrams.punch(udp, tid, to, from)
      }),
      repeat(clock, ANSWER_EVERY_MS, signal, () => {
        for (const { socket, at } of heard.values()) datagrams.punch(socket.udp, tid, at, from)
      }),
    ]
    try {
      await sleep(clock, Math.min(wish.waitMs, MAX_WAIT_MS), signal)
      await sleep(clock, AFTER_MS, signal)
    } catch {
      log.debug('no more sockets are held open for a member', { member: from })
    } finally {
      for (const end of [...takeOff, ...ends]) end()
      for (const socket of many) socket.release()
      isBusy = false
    }
  }
}

type TakeLink = (socket: PunchSocket, link: Parameters<PunchSocket['carry']>[0]) => void
