import type { Clock, RoomLog } from '../../ports'
import type { Carriers, PacketLink } from '../carriers'
import { mappedAddress } from '../nat/askStun'
import type { LinkOrigin } from '../node/link'
import type { NatView } from '../peer/outsideView'
import { random32 } from '../random'
import type { Endpoint } from '../wire/socketAddr'
import type { Asking } from './asking'
import type { PunchDatagrams } from './sockets/datagrams'
import type { PunchListeners } from './sockets/listeners'
import type { PunchSocket, PunchSockets } from './sockets/sockets'

/** What every way of punching works with. */
export type PunchContext = {
  readonly carriers: Carriers
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: RoomLog
  readonly asking: Asking
  readonly datagrams: PunchDatagrams
  readonly sockets: PunchSockets
  readonly listeners: PunchListeners
  readonly view: () => NatView
  /** Begins the handshake over a link, or waits for it. */
  readonly attach: (link: PacketLink, origin: Omit<LinkOrigin, 'carrier'>) => void
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
