import { type Clock, createAlarm } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { isVerified } from '@lantern-room/game'
import type { ProbeGame } from '@lantern-room/game/ports'
import { RoomFailure } from '../../failure'
import { type KeptNumbers, worldNumberRule } from '../../localNumbers'
import {
  type LocalPort,
  type LocalPortDependencies,
  type LocalUdpPort,
  openTcpPort,
  openUdpPort,
} from './localPort'

export type Forward = Awaited<ReturnType<typeof openForward>>

/** When the number is taken in UDP: Bedrock worlds need it, and voice mods. */
const FREE_PORTS_TRIED = 4

/**
 * A local port that forwards to the host's world: TCP, and UDP for voice mods. It stays the same when the host's port changes.
 * @param dependencies.numbers which numbers the player has allowed the host
 * @param hostPort the world's TCP and UDP port at the host; the same number is used here when `worldNumberRule` lets it and it is free
 * @param preferred a local port to try before that
 * @throws RoomFailure `port-in-use` when no port can be used
 */
export async function openForward(
  dependencies: LocalPortDependencies & {
    readonly probe: ProbeGame
    readonly clock: Clock
    readonly numbers: Pick<KeptNumbers, 'isAllowed'>
  },
  hostPort: number,
  preferred: number | undefined,
  signal: AbortSignal,
) {
  const { connection, probe, clock, log, numbers } = dependencies
  let target = hostPort

  const same = worldNumberRule(hostPort, numbers.isAllowed) === 'same' ? [hostPort] : []
  const wanted = preferred === undefined ? [...same, 0] : [preferred, ...same, 0]
  const { tcp, udp } = await openPorts(dependencies, wanted, () => target, signal)
  if (!udp) log.warn('no UDP on the local port: voice mods will not work', { port: tcp.port })

  return {
    /** The local port. */
    port: tcp.port,
    /** The preferred port, where another program has it. */
    missed: preferred === tcp.port ? undefined : preferred,
    /** Resolves once every socket is closed, after the signal. */
    closed: tcp.closed,
    /** Forwards new connections, and every datagram, to another port of the host. */
    retarget(next: number): void {
      if (next === target) return
      target = next
      udp?.renewFlows()
    },
    /**
     * Resolves when the world has answered through the forward.
     * @returns its own text as `motd`; undefined when it told none
     * @throws RoomFailure `host-unreachable`
     */
    async check(checkSignal: AbortSignal) {
      const status = await probe({ address: '127.0.0.1', port: tcp.port }, checkSignal)
      // A plain connect is accepted by our own listener and proves nothing about the host.
      if (!isVerified(status)) await staysOpen(clock, await connection.dial(target, checkSignal), checkSignal)
      return { isBedrock: status?.by === 'raknet', motd: status?.motd }
    },
  }
}

/** With the first of these in TCP that is free; with any other one if that number is taken in UDP only. */
async function openPorts(
  dependencies: LocalPortDependencies,
  wanted: readonly number[],
  target: () => number,
  signal: AbortSignal,
): Promise<{ readonly tcp: LocalPort; readonly udp: LocalUdpPort | undefined }> {
  for (const ports of [wanted, ...Array.from({ length: FREE_PORTS_TRIED }, () => [0])]) {
    const controller = new AbortController()
    const own = AbortSignal.any([signal, controller.signal])
    const tcp = await openTcpPort(dependencies, ports, target, own)
    const udp = await openUdpPort(dependencies, [tcp.port], target, own)
    if (udp) return { tcp, udp }
    controller.abort(new Error('the number is taken in UDP'))
    await tcp.closed
  }
  return { tcp: await openTcpPort(dependencies, wanted, target, signal), udp: undefined }
}

/** A world that answers no ping must keep a connection open for so long to count as reachable. */
const OPEN_MS = 500

/** A stream to a refused port closes at once. @throws RoomFailure `host-unreachable` */
async function staysOpen(clock: Clock, stream: ByteStream, signal: AbortSignal): Promise<void> {
  const alarm = createAlarm(clock)
  let isClosed = false
  void stream.closed.then(() => {
    isClosed = true
    alarm.wake()
  })
  try {
    await alarm.wait(OPEN_MS, signal)
  } finally {
    stream.destroy()
  }
  if (isClosed) throw new RoomFailure('host-unreachable', 'The world at the host does not answer.')
}
