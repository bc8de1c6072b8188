import { createAlarm } from '#core/async/alarm'
import type { ByteStream, DatagramFlow } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { GuestConnection, LocalNet, ProbeGame } from '../ports'
import { pipe } from './pipe'

/** A port of this machine behind which the host's world lies: TCP, and UDP for voice mods. It stays when the host's port moves. */
export type Forward = {
  /** Local port. */
  readonly port: number
  /** Sends new connections to another port of the host. */
  retarget(hostPort: number): void
  /** Resolves when a real answer has come through. @throws RoomFailure `host-unreachable` */
  check(signal: AbortSignal): Promise<void>
  /** Resolves once every socket is closed, after the signal. */
  readonly closed: Promise<void>
}

const CONNECTIONS = 256

/**
 * @param hostPort TCP and UDP port of the world at the host; the same number is used here when it is free
 * @throws RoomFailure `port-in-use` when no port can be used
 */
export async function openForward(
  dependencies: {
    readonly session: GuestConnection
    readonly localNet: LocalNet
    readonly probe: ProbeGame
    readonly clock: Clock
    readonly log: Log
  },
  hostPort: number,
  signal: AbortSignal,
): Promise<Forward> {
  const { session, localNet, probe, clock, log } = dependencies
  let target = hostPort
  const running = new Set<Promise<void>>()

  const listening = await localNet
    .listen([hostPort, 0], (stream) => track(serve(stream)), signal, 'every-address')
    .catch((cause: unknown) => {
      if (!(cause instanceof ServiceError) || signal.aborted) throw cause
      throw new RoomFailure('port-in-use', `The world cannot be reached here: ${cause.detail}`, { cause })
    })
  const hasDatagrams = await localNet.listenDatagrams(listening.port, serveFlow, signal)
  if (!hasDatagrams) log.warn('no UDP on the local port: voice mods will not work', { port: listening.port })

  return {
    port: listening.port,
    closed: listening.closed.then(async () => {
      await Promise.all(running)
    }),
    retarget(next) {
      target = next
    },
    async check(checkSignal) {
      const status = await probe({ address: '127.0.0.1', port: listening.port }, checkSignal)
      // A plain connect is answered by our own listener, and proves nothing about the other end.
      if (status && status.by !== 'connect') return
      await staysOpen(clock, await session.dial(target, checkSignal), checkSignal)
    },
  }

  async function serve(local: ByteStream): Promise<void> {
    if (running.size >= CONNECTIONS) return local.destroy()
    try {
      await pipe(local, await session.dial(target, signal), signal)
    } catch (cause) {
      if (!signal.aborted)
        log.warn('the host did not take a connection of the game', { cause: String(cause) })
      local.destroy()
      await local.closed
    }
  }

  function serveFlow(local: DatagramFlow): void {
    const remote = session.datagrams(target)
    local.onDatagram((bytes) => remote.send(bytes))
    remote.onDatagram((bytes) => local.send(bytes))
    void local.closed.then(() => remote.close())
    void remote.closed.then(() => local.close())
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }
}

/** How long a world that says nothing by itself must keep a connection, to count as one that answers. */
const OPEN_MS = 500

/** A refused port closes at once; a world that knows no ping stays. */
async function staysOpen(clock: Clock, stream: ByteStream, signal: AbortSignal): Promise<void> {
  const alarm = createAlarm(clock)
  let isGone = false
  void stream.closed.then(() => {
    isGone = true
    alarm.wake()
  })
  try {
    await alarm.wait(OPEN_MS, signal)
  } finally {
    stream.destroy()
  }
  if (isGone) throw new RoomFailure('host-unreachable', 'The world at the host does not answer.')
}
