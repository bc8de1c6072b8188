import type { Clock } from '#core/async/clock'
import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { Connections } from '../peer/connections'
import { encodeHello, type Handshake } from '../peer/handshake'
import type { ConnectionOrigin, PeerConnection } from '../peer/peerConnection'
import { Routing } from '../peer/routing'
import { newRecord } from '../peer/routing/ownRoute'
import { randomPeerId } from '../random'
import {
  decodePacket,
  encodePacket,
  MAX_FORWARDS,
  type Packet,
  packetFlags,
  packetTypes,
} from '../wire/packet'
import { createByteRate } from './byteRate'

/**
 * One network at a shared node: it keeps and distributes the members' routes, and forwards packets between them unread.
 */
export type RelayNetwork = {
  addConnection(id: number, origin: ConnectionOrigin): void
  removeConnection(id: number): void
  receive(id: number, packet: Uint8Array): void
  /** Peers with a finished handshake. */
  readonly members: number
  close(): void
}

export type RelayNetworkOptions = {
  readonly name: string
  /** This node's name. */
  readonly hostname: string
  readonly ownNetwork: string
  readonly version: string
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly maxMembers: number
  readonly send: (id: number, packet: Uint8Array) => void
  readonly close: (id: number) => void
  /** Whether this many bytes may be forwarded now. */
  readonly mayRelay: (bytes: number) => boolean
  /** A peer was refused. */
  readonly onRefused: () => void
  /** The last connection has closed. */
  readonly onEmpty: () => void
}

/**
 * Limit per second of the requests that the members of one network send to this node itself, routes and pings. They cost
 * more than forwarding, and the routes of one member are sent to all.
 */
const HEARD_BYTES_PER_SECOND = 512 * 1024
const TOLD_BYTES_PER_SECOND = 2 * 1024 * 1024

export function createRelayNetwork(options: RelayNetworkOptions): RelayNetwork {
  const { clock, randomBytes, name } = options
  const ownId = randomPeerId(randomBytes)
  const heard = createByteRate(HEARD_BYTES_PER_SECOND, clock)
  const told = createByteRate(TOLD_BYTES_PER_SECOND, clock)
  /** Peer ids by connection. */
  const open = new Map<number, number>()
  let isClosed = false
  const connections = new Connections({
    ownId,
    clock,
    send: options.send,
    close: options.close,
    handshake: handshakeOf(options, ownId),
  })
  const routing = new Routing({
    clock,
    randomBytes,
    networkName: name,
    onChanged: () => {},
    record: newRecord(
      {
        peerId: ownId,
        hostname: `PublicServer_${options.hostname}`,
        address: undefined,
        programVersion: options.version,
        features: FEATURES,
      },
      randomBytes,
    ),
    connections,
    // All members of the network are neighbours here.
    neighboursSpeakForThemselves: true,
    send: (peerId, isRequest, payload) => {
      const connection = connections.best(peerId)
      const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
      if (!connection || !told.take(payload.length)) return false
      options.send(connection.id, encodePacket({ from: ownId, to: peerId, type }, payload))
      return true
    },
  })
  connections.listen({
    onPacket,
    onChange: () => {},
    isUsed: () => false,
    onOpen(connection) {
      open.set(connection.id, connection.peerId)
      routing.opened(connection)
    },
    onClosed(connection, problem, wasOpen) {
      open.delete(connection.id)
      if (problem === 'refused') options.onRefused()
      routing.closed(connection, wasOpen)
      if (!isClosed && connections.size === 0) options.onEmpty()
    },
  })

  return {
    addConnection: (id, origin) => connections.add(id, origin),
    removeConnection: (id) => connections.remove(id),
    receive(id, bytes) {
      const packet = isClosed ? undefined : decodePacket(bytes)
      if (!packet) return
      // The packet is forwarded unchanged: its content belongs to the members.
      if (packet.to !== ownId && packet.to !== 0) relay(id, packet, bytes)
      else if (packet.to === 0 || heard.take(bytes.length)) connections.receive(id, bytes)
    },
    get members() {
      return connections.neighbours().length
    },
    close() {
      isClosed = true
      routing.close()
      connections.close()
    },
  }

  function relay(id: number, packet: Packet, bytes: Uint8Array): void {
    // The answer to a ping of ours has the ping's addresses: from us, to the member.
    const isPong = packet.type === packetTypes.pong && packet.from === ownId
    const sender = open.get(id)
    if (isPong || sender === undefined) {
      connections.receive(id, bytes)
      return
    }
    // It proves that the connection works, so that it is not closed for unanswered pings.
    connections.noteRelayed(id)
    const target = connections.best(packet.to)
    if (!target || target.id === id || packet.forwards > MAX_FORWARDS) return
    if (packet.from !== sender && !maySendFor(sender, packet.from)) return
    if (options.mayRelay(bytes.length)) options.send(target.id, bytes)
  }

  /**
   * Members pass on packets of others that they are connected to. One that is connected to us as well must have told us
   * so itself; of one that is not, nothing is known.
   */
  function maySendFor(sender: number, from: number): boolean {
    if (from === 0 || from === ownId) return false
    if (!connections.best(from)) return true
    const row = routing.table.reachableRows().find(({ peerId }) => peerId === from)
    return row?.connected.includes(sender) === true
  }

  function onPacket(packet: Packet, connection: PeerConnection): void {
    const isRpc = packet.type === packetTypes.rpcRequest || packet.type === packetTypes.rpcResponse
    const isPlain = (packet.flags & packetFlags.encrypted) === 0
    if (isRpc && isPlain && packet.from === connection.peerId)
      routing.calls.receive(packet.payload, packet.from)
  }
}

/**
 * Connections come here by their network's name and digest. A peer id that cannot be a member's gets the answer that
 * peers of other networks get, and is closed. If the network is full there is no answer: an answer and a close would be
 * taken for a wrong code.
 */
function handshakeOf(options: RelayNetworkOptions, ownId: number): Handshake {
  const answer = encodeHello(ownId, options.ownNetwork, new Uint8Array(DIGEST_SIZE))
  const refusal = { problem: 'refused', isSharedNode: false } as const
  return {
    hello: () => answer,
    verify({ myPeerId }, _origin, members) {
      if (myPeerId === 0 || myPeerId === ownId) return { ...refusal, answer }
      // A member that is connected already may connect over another transport, too.
      const isFull = members.length >= options.maxMembers && !members.includes(myPeerId)
      return isFull ? { ...refusal, answer: undefined } : { answer, problem: undefined, isSharedNode: false }
    },
  }
}

const FEATURES = {
  isSharedNode: true,
  avoidsRelay: false,
  takesKcp: false,
  relaysNoKcp: false,
  takesRowLists: false,
  needsDirect: false,
  refusesDirect: false,
}
