import { packetTypes } from '../wire/packet'
import type { StreamHandle } from './byteStream'
import type { ConversationId, ConversationOf, Conversations } from './conversations'
import type { StreamConnection } from './streamConnection'
import {
  decodeStreamRoute,
  STATE_FLAGS,
  type StreamEndpoint,
  type StreamPacket,
  streamFlags,
} from './streamPacket'

export type StreamAcceptor = ReturnType<typeof createStreamAcceptor>

export type StreamAcceptorOptions = {
  readonly conversations: Pick<Conversations, 'set' | 'delete'>
  readonly sendFlags: (id: ConversationId, flags: number) => void
  /** Makes a connection of a conversation, in place of what it was. */
  readonly connect: (id: ConversationId, now: number) => StreamConnection
  /** Whether the peer may have one more stream; a refusal is counted there. */
  readonly admits: (peerId: number) => boolean
  /** Whether a member may have a stream to this address and port. */
  readonly accepts: (destination: StreamEndpoint, peerId: number) => boolean
  readonly onStream: (stream: StreamHandle, destination: StreamEndpoint) => void
}

/** After a SYN, how long the opener may take to go on. */
const HALF_OPEN_FOR = 10_000

/** Streams that others open to us: SYN, SYN|ACK, then ACK|DATA. */
export function createStreamAcceptor(options: StreamAcceptorOptions) {
  const { conversations, sendFlags } = options

  const onSyn = (id: ConversationId, body: Uint8Array, now: number) => {
    if (!options.admits(id.peerId)) return sendFlags(id, streamFlags.rst)
    const route = decodeStreamRoute(body)
    conversations.set({ kind: 'halfOpen', id, route, until: now + HALF_OPEN_FOR })
    sendFlags(id, streamFlags.syn | streamFlags.ack)
  }
  /** A refusal is a FIN, as real peers do it: an RST in the same instant as the SYN|ACK would not be understood. */
  const accept = ({ id, route }: ConversationOf<'halfOpen'>, now: number): StreamConnection => {
    const connection = options.connect(id, now)
    if (route && options.accepts(route.destination, id.peerId)) {
      options.onStream(connection, route.destination)
    } else connection.end()
    return connection
  }

  return {
    /** A packet of a conversation that does not exist. */
    onUnknown(id: ConversationId, { flags, body }: StreamPacket, now: number): void {
      const isToUs = id.type === packetTypes.kcpDestination
      if (isToUs && (flags & STATE_FLAGS) === streamFlags.syn) onSyn(id, body, now)
      else if ((flags & (streamFlags.rst | streamFlags.pong)) === 0) sendFlags(id, streamFlags.rst)
    },
    onHalfOpen(conversation: ConversationOf<'halfOpen'>, { flags, body }: StreamPacket, now: number): void {
      const { id } = conversation
      const state = flags & STATE_FLAGS
      if (state === streamFlags.syn) sendFlags(id, streamFlags.syn | streamFlags.ack)
      else if (flags & (streamFlags.fin | streamFlags.rst)) {
        conversations.delete(id)
        if (flags & streamFlags.fin) sendFlags(id, streamFlags.fin)
      } else if (state === (streamFlags.ack | streamFlags.data)) {
        accept(conversation, now).receive(flags, body, now)
      }
    },
  }
}
