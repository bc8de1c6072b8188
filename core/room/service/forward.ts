import { createAlarm } from '#core/async/alarm'
import type { ByteStream } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import { isVerified } from '../game/gameRecords'
import type { GuestConnection, LocalNet, ProbeGame } from '../ports'
import { pipe, pipeDatagrams } from './pipe'

/** A local port that forwards to the host's world: TCP, and UDP for voice mods. It stays the same when the host's port changes. */
export type Forward = {
  /** The local port. */
  readonly port: number
  /** Forwards new connections to another port of the host. */
  retarget(hostPort: number): void
  /** Resolves when the world has answered through the forward. @throws RoomFailure `host-unreachable` */
  check(signal: AbortSignal): Promise<void>
  /** Resolves once every socket is closed, after the signal. */
  readonly closed: Promise<void>
}

const MAX_CONNECTIONS = 256

/**
 * @param hostPort the world's TCP and UDP port at the host; the same number is used here when it is free
 * @throws RoomFailure `port-in-use` when no port can be used
 */
export async function openForward(
  dependencies: {
    readonly connection: GuestConnection
    readonly localNet: LocalNet
    readonly probe: ProbeGame
    readonly clock: Clock
    readonly log: Log
  },
  hostPort: number,
  signal: AbortSignal,
): Promise<Forward> {
  const { connection, localNet, probe, clock, log } = dependencies
  let target = hostPort
  const running = new Set<Promise<void>>()

  const listening = await localNet
    .listen([hostPort, 0], (stream) => track(serve(stream)), signal, 'every-address')
    .catch((cause: unknown) => {
      if (!(cause instanceof ServiceError) || signal.aborted) throw cause
      throw new RoomFailure('port-in-use', `The world cannot be reached here: ${cause.detail}`, { cause })
    })
  const hasDatagrams = await localNet.listenDatagrams(
    listening.port,
    (local) => pipeDatagrams(local, connection.datagrams(target)),
    signal,
  )
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
      // A plain connect is accepted by our own listener and proves nothing about the host.
      if (isVerified(status)) return
      await staysOpen(clock, await connection.dial(target, checkSignal), checkSignal)
    },
  }

  async function serve(local: ByteStream): Promise<void> {
    if (running.size >= MAX_CONNECTIONS) return local.destroy()
    try {
      await pipe(local, await connection.dial(target, signal), signal)
    } catch (cause) {
      if (!signal.aborted) log.warn('the host refused a connection of the game', { cause: String(cause) })
      local.destroy()
      await local.closed
    }
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }
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
