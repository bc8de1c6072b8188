import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { mappedAddress } from '../nat/askStun'
import type { NatInfo } from '../nat/natObserver'
import type { ConnectionOrigin } from '../peer/peerConnection'
import { random32 } from '../random'
import type { Connection, Transports } from '../transport/transports'
import type { Endpoint } from '../wire/socketAddress'
import type { PunchRpcClient } from './rpcClient'
import type { PunchDatagrams } from './sockets/punchDatagrams'
import type { PunchListeners } from './sockets/punchListeners'
import type { PunchSocket, PunchSockets } from './sockets/punchSockets'

/** What every way of punching works with. */
export type PunchContext = {
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  readonly asking: PunchRpcClient
  readonly datagrams: PunchDatagrams
  readonly sockets: PunchSockets
  readonly listeners: PunchListeners
  readonly view: () => NatInfo
  /** Begins the handshake over a link, or waits for it. */
  readonly attach: (link: Connection, origin: Omit<ConnectionOrigin, 'transport'>) => void
}

/** As what the internet sees this socket. @throws Error when no server answers */
export async function mappedOf(
  context: PunchContext,
  socket: PunchSocket,
  signal: AbortSignal,
): Promise<Endpoint> {
  const mapped = await mappedAddress(socket.udp, context.view().servers, context, signal)
  signal.throwIfAborted()
  if (!mapped) throw new Error('no server says how our socket is seen')
  return mapped
}

/** The number by which both sides know the datagrams of one attempt. */
export function newTid({ randomBytes }: PunchContext): number {
  return random32(randomBytes) || 1
}

/** From 0 up to 1. */
export function fraction({ randomBytes }: PunchContext): number {
  return random32(randomBytes) / 2 ** 32
}
