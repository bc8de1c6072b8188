import { viewOf } from '#core/bytes'
import { RpcRefusal } from '#core/easytier/rpc/rpcRefusal'
import { formatIpv4 } from '#core/easytier/wire/addresses'
import type { Decoded, rpcMethods } from '#core/easytier/wire/messages'
import { fromSocketAddr } from '#core/easytier/wire/socketAddress'
import type { PunchContext } from '../punchContext'
import { isPunchableAddress, LOWEST_PORT, punchable } from '../sockets/targets'
import { paced } from '../timing'

/** The server's part for a client behind a symmetric router: tries ports of that router from one listener. */
export type Spraying = {
  /** Resolves with the index to go on from. @throws Error, also when it serves somebody else */
  hard(call: HardCall, from: number, signal: AbortSignal): Promise<number>
  easy(call: EasyCall, from: number, signal: AbortSignal): Promise<void>
}

export type HardCall = Decoded<(typeof rpcMethods)['sendPunchPacketHardSym']['request']>
export type EasyCall = Decoded<(typeof rpcMethods)['sendPunchPacketEasySym']['request']>

/** Real callers know these words, and come again soon. */
export const BUSY = 'sym punch lock is busy'

/** With 84 ports open at the caller's router, 86 of 100 such runs hit one. The caller waits for 4 s. */
const PORTS_IN_RUN = 1500
const RUN_MS = 3200
/** Of predictable ports, each tried three times, twice. */
const MAX_FORESEEN = 100
const FORESEEN_TRIES = 6
const FORESEEN_MS = 600
/** A provider may give one player several addresses; more are somebody else's. */
const MAX_ADDRESSES = 2

export function createSpraying(context: PunchContext): Spraying {
  const { clock, datagrams, listeners } = context
  let order: readonly number[] | undefined
  let isBusy = false

  return {
    async hard(call, from, signal) {
      order ??= shuffledPorts(context.randomBytes)
      const ports = order
      const start = call.portIndex % ports.length
      const run = Array.from({ length: PORTS_IN_RUN }, (_, at) => ports[(start + at) % ports.length] ?? 0)
      await spray(call, run, RUN_MS, from, signal)
      return (start + PORTS_IN_RUN) % ports.length
    },
    async easy(call, from, signal) {
      const step = call.isIncremental ? 1 : -1
      const count = Math.min(call.maxPortNum, MAX_FORESEEN)
      const ports = Array.from({ length: count }, (_, at) => call.basePortNum + step * (at + 1))
      const usable = ports.filter((port) => port >= LOWEST_PORT && port <= 65_535)
      const run = Array.from({ length: FORESEEN_TRIES }, () => usable).flat()
      await spray(call, run, FORESEEN_MS, from, signal)
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
    if (addresses.length === 0 || !addresses.every(isPunchableAddress))
      throw new RpcRefusal('no address to aim at')
    if (isBusy) throw new RpcRefusal(BUSY)
    isBusy = true
    try {
      await paced(clock, { count: ports.length, spanMs }, signal, (at) => {
        for (const address of addresses) {
          const to = { address, port: ports[at] ?? 0 }
          datagrams.punch(listener.udp, call.transactionId, to, from)
        }
      })
    } finally {
      isBusy = false
    }
  }
}

/**
 * Every port that a router gives, in an order of its own: a caller goes on by the index.
 * @param randomBytes asked once: 64,000 single numbers would hold up the game
 */
export function shuffledPorts(randomBytes: (size: number) => Uint8Array): readonly number[] {
  const ports = Array.from({ length: 65_536 - LOWEST_PORT }, (_, at) => LOWEST_PORT + at)
  const chance = viewOf(randomBytes(ports.length * 4))
  for (let last = ports.length - 1; last > 0; last -= 1) {
    const other = chance.getUint32(last * 4) % (last + 1)
    const [one, two] = [ports[last] ?? 0, ports[other] ?? 0]
    ports[last] = two
    ports[other] = one
  }
  return ports
}
