import type { Log } from '@lantern-room/base'
import type { NatInfo } from '#easytier/nat/natObserver'
import { queryFirst, type StunOptions } from '#easytier/nat/queryStun'
import type { ConnectionOrigin } from '#easytier/peer/peerConnection'
import type { Connection } from '#easytier/transport/transports'
import type { Endpoint } from '#easytier/wire/socketAddress'
import type { createPunchDatagrams } from '../sockets/punchDatagrams'
import type { PunchListeners } from '../sockets/punchListeners'
import type { PunchSocket, PunchSockets } from '../sockets/punchSockets'
import type { createPunchRpcClient } from './rpcClient'

export type PunchContext = StunOptions & {
  readonly log: Log
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
  context: StunOptions & Pick<PunchContext, 'natInfo'>,
  socket: PunchSocket,
  signal: AbortSignal,
): Promise<Endpoint> {
  const mapped = await queryFirst(context, socket.udp, context.natInfo().servers, signal)
  signal.throwIfAborted()
  if (!mapped) throw new Error('no STUN server answers')
  return mapped
}
