import type { Clock } from '@lantern-room/base/async'
import { createDeferred, raceSignal, repeat } from '@lantern-room/base/async'
import { viewOf } from '@lantern-room/base/bytes'
import { isReachableAddress, LOWEST_PORT } from '@lantern-room/base/network'
import { RpcRefusal } from '#easytier/rpc/rpcMessage'
import { formatIpv4 } from '#easytier/wire/addresses'
import type { RequestOf } from '#easytier/wire/messages'
import { fromSocketAddr } from '#easytier/wire/socketAddress'
import { punchable } from '../sockets/punchDatagrams'
import type { PunchContext } from './punchContext'

/** Each step does as many as are due by then. */
const STEP_MS = 10

export type HardCall = RequestOf<'sendPunchPacketHardSym'>
export type EasyCall = RequestOf<'sendPunchPacketEasySym'>

/** The text of the original program: its callers recognise it and call again soon. */
export const BUSY = 'sym punch lock is busy'

/** With 84 ports open at the caller's router, 86 of 100 such runs hit one. The caller waits for 4 s. */
const PORTS_PER_RUN = 1500
const RUN_MS = 3200
const MAX_PREDICTED = 100
const PREDICTED_TRIES = 6
const PREDICTED_MS = 600
/** A provider may give one player several addresses; more would be those of others. */
const MAX_ADDRESSES = 2

/** The server's part for a client behind a symmetric router: sends to many ports of that router from one listener. */
export function createPortSprayer({ clock, datagrams, listeners, randomBytes }: PunchContext) {
  let allPorts: readonly number[] | undefined
  let isBusy = false

  return {
    /** Resolves with the port index for the next call. @throws RpcRefusal, also while it serves another call */
    async sprayAll(call: HardCall, from: number, signal: AbortSignal): Promise<number> {
      allPorts ??= shuffledPorts(randomBytes)
      const ports = allPorts
      const start = call.portIndex % ports.length
      const end = start + PORTS_PER_RUN
      const run = [...ports.slice(start, end), ...ports.slice(0, Math.max(0, end - ports.length))]
      await spray(call, run, RUN_MS, from, signal)
      return end % ports.length
    },
    /** The ports that follow the last one of a predictable router. @throws RpcRefusal as above */
    async sprayPredicted(call: EasyCall, from: number, signal: AbortSignal): Promise<void> {
      const step = call.isIncremental ? 1 : -1
      const count = Math.min(call.maxPortNum, MAX_PREDICTED)
      const ports = Array.from({ length: count }, (_, at) => call.basePortNum + step * (at + 1))
      const usable = ports.filter((port) => port >= LOWEST_PORT && port <= 65_535)
      const run = Array.from({ length: PREDICTED_TRIES }, () => usable).flat()
      await spray(call, run, PREDICTED_MS, from, signal)
    },
  }

  async function spray(
    call: Pick<HardCall, 'listenerMappedAddr' | 'publicIps' | 'transactionId'>,
    ports: readonly number[],
    spanMs: number,
    from: number,
    signal: AbortSignal,
  ): Promise<void> {
    const listener = listeners.find(punchable(fromSocketAddr(call.listenerMappedAddr)))
    const addresses = [...new Set(call.publicIps.map(({ addr }) => formatIpv4(addr)))].slice(0, MAX_ADDRESSES)
    if (addresses.length === 0 || !addresses.every(isReachableAddress))
      throw new RpcRefusal('no address to aim at')
    if (isBusy) throw new RpcRefusal(BUSY)
    isBusy = true
    try {
      await spreadEvenly(clock, { count: ports.length, spanMs }, signal, (at) => {
        const port = ports[at]
        if (port === undefined) return
        for (const address of addresses)
          datagrams.punch(listener.udp, call.transactionId, { address, port }, from)
      })
    } finally {
      isBusy = false
    }
  }
}

/**
 * Every port that a router may give, in a random order that stays the same: callers continue by the index.
 * @param randomBytes called once: 64,000 separate numbers would delay the packets of a game
 */
export function shuffledPorts(randomBytes: (size: number) => Uint8Array): readonly number[] {
  const count = 65_536 - LOWEST_PORT
  const ports = new DataView(new ArrayBuffer(count * 2))
  for (let at = 0; at < count; at += 1) ports.setUint16(at * 2, LOWEST_PORT + at)
  const random = viewOf(randomBytes(count * 4))
  for (let last = count - 1; last > 0; last -= 1) {
    const other = random.getUint32(last * 4) % (last + 1)
    const port = ports.getUint16(last * 2)
    ports.setUint16(last * 2, ports.getUint16(other * 2))
    ports.setUint16(other * 2, port)
  }
  return Array.from({ length: count }, (_, at) => ports.getUint16(at * 2))
}

/**
 * Calls `act` `count` times, spread evenly over `spanMs`. Resolves after the last call.
 * @param act gets the number of the call, from 0
 * @throws the signal's reason when it aborts first
 */
export async function spreadEvenly(
  clock: Clock,
  { count, spanMs }: { readonly count: number; readonly spanMs: number },
  signal: AbortSignal,
  act: (at: number) => void,
): Promise<void> {
  const startedAt = clock.now()
  const finished = createDeferred()
  let done = 0
  repeat(clock, STEP_MS, signal, (end) => {
    const due = Math.min(count, Math.ceil(((clock.now() - startedAt + STEP_MS) / spanMs) * count))
    for (; done < due; done += 1) act(done)
    if (done < count) return
    end()
    finished.resolve()
  })
  await raceSignal(finished.promise, signal)
}
