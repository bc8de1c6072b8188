import type { Log } from '@lantern-room/base'
import { ServiceError } from '@lantern-room/base'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import type { LocalNet } from '@lantern-room/game/ports'
import { RoomFailure } from '../../failure'
import type { GuestConnection } from '../../roomNetwork'
import { pipe, pipeDatagrams } from './pipe'

export type LocalPortDependencies = {
  readonly connection: Pick<GuestConnection, 'dial' | 'datagrams'>
  readonly localNet: LocalNet
  readonly log: Log
}

export type LocalPort = Awaited<ReturnType<typeof openTcpPort>>
export type LocalUdpPort = NonNullable<Awaited<ReturnType<typeof openUdpPort>>>

const MAX_CONNECTIONS = 256

/**
 * Opens a local port whose connections go to a port of the host.
 * @param ports tried in order; 0 = any free one
 * @param target the host's port for the next connection
 * @throws RoomFailure `port-in-use` when none can be used
 */
export async function openTcpPort(
  { connection, localNet, log }: LocalPortDependencies,
  ports: readonly number[],
  target: () => number,
  signal: AbortSignal,
) {
  const running = new Set<Promise<void>>()
  const listening = await localNet
    .listen(ports, (stream) => track(serve(stream)), signal, 'every-address')
    .catch((cause: unknown) => {
      if (!(cause instanceof ServiceError) || signal.aborted) throw cause
      throw new RoomFailure('port-in-use', `The world cannot be reached here: ${cause.detail}`, { cause })
    })
  return {
    port: listening.port,
    /** Resolves once every socket is closed, after the signal. */
    closed: listening.closed.then(async () => {
      await Promise.all(running)
    }),
  }

  async function serve(local: ByteStream): Promise<void> {
    if (running.size >= MAX_CONNECTIONS) return local.destroy()
    try {
      await pipe(local, await connection.dial(target(), signal), signal)
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

/**
 * Opens a local port whose datagrams go to a port of the host.
 * @param ports tried in order
 * @param target the host's port for the next flow
 * @returns undefined when none can be used
 */
export async function openUdpPort(
  { connection, localNet }: LocalPortDependencies,
  ports: readonly number[],
  target: () => number,
  signal: AbortSignal,
) {
  const flows = new Set<DatagramFlow>()
  const take = (local: DatagramFlow) => {
    flows.add(local)
    void local.closed.then(() => flows.delete(local))
    pipeDatagrams(local, connection.datagrams(target()))
  }
  for (const port of ports) {
    if (await localNet.listenDatagrams(port, take, signal)) {
      return {
        port,
        /** Has each client's next datagram go to the present target, by a new flow. */
        renewFlows(): void {
          for (const flow of [...flows]) flow.close()
        },
      }
    }
  }
  return undefined
}
