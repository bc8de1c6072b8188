import type { Clock } from '@lantern-room/base/async'
import { createDeferred, createEmitter, raceSignal } from '@lantern-room/base/async'
import { equalBytes } from '@lantern-room/base/bytes'
import { random32 } from '../random'
import type { Endpoint } from '../wire/socketAddress'
import { decodeStun, encodeStunResponse, isForNodes, isStun } from '../wire/stun'
import { decodeDatagram, encodeDatagram } from '../wire/udpFrame'
import type { Connection, UdpSocket } from './transports'
import { createUdpFlows } from './udpFlows'

export type UdpTransportOptions = {
  readonly socket: UdpSocket
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  /**
   * Maximum number of connections; a Syn beyond it is ignored.
   * @default 128
   */
  readonly maxConnections?: number
}

/** A real listener sometimes ignores a Syn: then another one follows, with another number. */
const SYN_EVERY_MS = 400
const SYN_TRIES = 9
const MAX_CONNECTIONS = 128
const MAX_PUNCH_BODY = 16

export type UdpTransport = ReturnType<typeof createUdpTransport>

/**
 * A UDP socket that carries connections: dialled ones and, after `accept`, incoming ones.
 * @example
 * const udp = createUdpTransport({ socket: await transports.openUdp(11010), clock, randomBytes })
 * udp.accept((connection) => relay.take(connection))
 */
export function createUdpTransport(options: UdpTransportOptions) {
  const { socket, randomBytes, maxConnections = MAX_CONNECTIONS } = options
  const flows = createUdpFlows(socket)
  const dials = createDials(options)
  const punched = createEmitter<{ readonly tid: number; readonly from: Endpoint }>()
  const stunReceived = createEmitter<Uint8Array>()
  let onConnection: ((connection: Connection) => void) | undefined

  socket.onDatagram((bytes, from) => {
    if (isStun(bytes)) return onStunDatagram(bytes, from)
    const datagram = decodeDatagram(bytes)
    if (!datagram) return
    const { type, connectionId, body } = datagram
    if (type === 'data') flows.find(connectionId, from)?.take(body)
    else if (type === 'sack') dials.answered(connectionId, body, from)
    else if (type === 'syn') onSyn(connectionId, body, from)
    else if (type === 'holePunch') punched.emit({ tid: connectionId, from })
  })
  void socket.closed.then(() => flows.closeAll())

  return {
    port: socket.port,
    closed: socket.closed,
    /** Sends Syn datagrams until one is answered. @throws Error after some attempts, or the signal's reason */
    async dial(to: Endpoint, signal: AbortSignal): Promise<Connection> {
      signal.throwIfAborted()
      const { connectionId, from } = await dials.connect(to, signal)
      return flows.open(connectionId, from)
    },
    /** Sends a HolePunch datagram with this number. */
    punch: (tid: number, to: Endpoint): void =>
      socket.send(encodeDatagram('holePunch', tid, randomBytes(MAX_PUNCH_BODY)), to),
    /** Called for every HolePunch datagram. @returns a function that unsubscribes */
    onPunch: punched.subscribe,
    /** Sends any bytes, and receives STUN responses. */
    sendRaw: (bytes: Uint8Array, to: Endpoint): void => socket.send(bytes, to),
    onStun: stunReceived.subscribe,
    accept(listener: (connection: Connection) => void): void {
      onConnection = listener
    },
    close(): void {
      flows.closeAll()
      socket.close()
    },
  }

  function onSyn(connectionId: number, body: Uint8Array, from: Endpoint): void {
    if (!onConnection) return
    // The answer to a Syn may be lost, and the Syn is repeated. Two peers that dial each other have a connection for
    // each Syn.
    if (!flows.has(connectionId, from)) {
      if (flows.size() >= maxConnections) return
      onConnection(flows.open(connectionId, from))
    }
    socket.send(encodeDatagram('sack', connectionId, body), from)
  }

  /** A listener answers STUN requests that carry the network's mark. */
  function onStunDatagram(bytes: Uint8Array, from: Endpoint): void {
    stunReceived.emit(bytes)
    const message = onConnection ? decodeStun(bytes) : undefined
    if (message?.kind === 'request' && isForNodes(message.transactionId)) {
      socket.send(encodeStunResponse(message.transactionId, from), from)
    }
  }
}

/** An answer to a Syn, whose address may differ from that of the Syn. */
type Answered = { readonly connectionId: number; readonly from: Endpoint }

/** The Syns of a socket that wait for their answers. */
function createDials({ socket, clock, randomBytes }: UdpTransportOptions) {
  const waiting = new Map<number, (body: Uint8Array, from: Endpoint) => void>()

  return {
    answered(connectionId: number, body: Uint8Array, from: Endpoint): void {
      waiting.get(connectionId)?.(body, from)
    },
    /** @throws Error without an answer, or the signal's reason */
    async connect(to: Endpoint, signal: AbortSignal): Promise<Answered> {
      const answered = createDeferred<Answered>()
      const ids: number[] = []
      let cancel = () => {}
      const repeatSyn = () => {
        if (ids.length >= SYN_TRIES) return answered.reject(new Error('No answer by UDP.'))
        ids.push(sendSyn(to, answered.resolve))
        cancel = clock.after(SYN_EVERY_MS, repeatSyn)
      }
      repeatSyn()
      try {
        return await raceSignal(answered.promise, signal)
      } finally {
        cancel()
        for (const id of ids) waiting.delete(id)
      }
    },
  }

  function sendSyn(to: Endpoint, onAnswered: (answer: Answered) => void): number {
    const connectionId = random32(randomBytes)
    const nonce = Uint8Array.from(randomBytes(8))
    waiting.set(connectionId, (body, from) => {
      if (equalBytes(body, nonce)) onAnswered({ connectionId, from })
    })
    socket.send(encodeDatagram('syn', connectionId, nonce), to)
    return connectionId
  }
}
