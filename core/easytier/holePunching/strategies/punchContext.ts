import type { Clock } from '#core/async/clock'
import type { NatInfo } from '#core/easytier/nat/natObserver'
import type { StunClient } from '#core/easytier/nat/stunClient'
import type { ConnectionOrigin } from '#core/easytier/peer/peerConnection'
import { random32 } from '#core/easytier/random'
import type { Connection, Transports } from '#core/easytier/transport/transports'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import type { Log } from '#core/log'
import type { createPunchDatagrams } from '../sockets/punchDatagrams'
import type { PunchListeners } from '../sockets/punchListeners'
import type { PunchSocket, PunchSockets } from '../sockets/punchSockets'
import type { createPunchRpcClient } from './rpcClient'

export type PunchContext = {
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  readonly stun: StunClient
  readonly rpcClient: ReturnType<typeof createPunchRpcClient>
  readonly datagrams: ReturnType<typeof createPunchDatagrams>
  readonly sockets: PunchSockets
  readonly listeners: PunchListeners
  readonly natInfo: () => NatInfo
  /** Starts the handshake over a connection, or waits for it. */
  readonly attach: (connection: Connection, origin: Omit<ConnectionOrigin, 'transport'>) => void
}

/** The socket's public (server-reflexive) address. @throws Error when no STUN server answers */
export async function mappedAddressOf(
  { stun, natInfo }: Pick<PunchContext, 'stun' | 'natInfo'>,
  socket: PunchSocket,
  signal: AbortSignal,
): Promise<Endpoint> {
  const mapped = await stun.queryFirst(socket.udp, natInfo().servers, signal)
  signal.throwIfAborted()
  if (!mapped) throw new Error('no STUN server answers')
  return mapped
}

/** The number by which both sides recognise the datagrams of one attempt. */
export function newTransactionId({ randomBytes }: Pick<PunchContext, 'randomBytes'>): number {
  return random32(randomBytes) || 1
}

/** A random number from 0 up to 1. */
export function randomFraction({ randomBytes }: Pick<PunchContext, 'randomBytes'>): number {
  return random32(randomBytes) / 2 ** 32
}
