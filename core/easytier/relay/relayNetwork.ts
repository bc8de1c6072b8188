import { createTokenBuckets } from '@lantern-room/base/limits'
import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { isEstablished, type MonitoredConnection, noteRelayed } from '../peer/connectionState'
import { Connections } from '../peer/connections'
import { encodeHello, type Handshake } from '../peer/handshake'
import type { PeerConnection } from '../peer/peerConnection'
import { Routing } from '../peer/routing'
import { newRecord } from '../peer/routing/ownRoute'
import { RouteTable } from '../peer/routing/routeTable'
import { isRpc } from '../peer/sealedPackets'
import { randomId } from '../random'
import type { Connection } from '../transport/transports'
import {
  decodePacket,
  encodePacket,
  MAX_FORWARDS,
  type Packet,
  packetFlags,
  packetTypes,
} from '../wire/packet'
import { NO_FEATURES } from '../wire/peerRecord'
import { encodeRefusal } from '../wire/refusal'
import type { RelayOptions } from './relayOptions'

export type RelayNetworkOptions = Omit<RelayOptions, 'limits' | 'accepts' | 'log'> & {
  readonly name: string
  readonly maxMembers: number
  readonly mayRelay: (bytes: number) => boolean
  readonly onRefused: () => void
  readonly onEmpty: () => void
}

/** The name of this node's own network, by which a peer recognises it as a shared node. */
export const OWN_NETWORK = 'lantern-room-relay'

/**
 * Limit per second of the requests that the members of one network send to this node itself, routes and pings. They cost
 * more than forwarding, and the routes of one member are sent to all.
 */
const HEARD_BYTES = { perSecond: 512 * 1024, burst: 512 * 1024 }
/** Of each member: one that floods leaves the others theirs. Two whole route tables at once, then the longest record each second. */
const MEMBER_BYTES = { perSecond: 16 * 1024, burst: 128 * 1024 }
/** For each member that a network may have: some are connected over more than one transport. */
const CONNECTIONS_OF_MEMBER = 4
const TOLD_BYTES = { perSecond: 2 * 1024 * 1024, burst: 2 * 1024 * 1024 }

export type RelayNetwork = ReturnType<typeof createRelayNetwork>

/**
 * One network at a shared node: it keeps and distributes the members' routes, and forwards packets between them unread.
 */
export function createRelayNetwork(options: RelayNetworkOptions) {
  const { clock, randomBytes } = options
  const ownId = randomId(randomBytes)
  const heard = createTokenBuckets(clock, HEARD_BYTES)
  const heardOfMember = createTokenBuckets(clock, MEMBER_BYTES)
  const told = createTokenBuckets(clock, TOLD_BYTES)
  let isClosed = false
  const connections = new Connections({
    clock,
    ownId,
    handshake: relayHandshake(options.maxMembers, ownId),
  })
  const table = new RouteTable({ record: relayRecord(options, ownId), unixTime: clock.unixTime })
  const routing = Routing.open({
    clock,
    randomBytes,
    networkName: options.name,
    table,
    connections,
    // All members of the network are neighbours here.
    neighboursSpeakForThemselves: true,
    send: sendCall,
  })
  connections.listen({
    onPacket: receiveOwn,
    onChange: () => {},
    isUsed: () => false,
    onOpen: (connection) => routing.opened(connection),
    onClosed(connection, problem, wasOpen) {
      if (problem === 'refused' || problem === 'node-full') options.onRefused()
      // It is still open.
      if (problem === 'node-full') connection.send(encodeRefusal(problem))
      routing.closed(connection, wasOpen)
      if (!isClosed && connections.known.size === 0) options.onEmpty()
    },
  })

  return {
    /** Takes a connection over. @returns what takes its packets, from the handshake on; undefined when there are too many */
    enter(transport: Connection): ((bytes: Uint8Array) => void) | undefined {
      if (connections.known.size >= options.maxMembers * CONNECTIONS_OF_MEMBER) return undefined
      const connection = connections.add(transport, { isDialler: false })
      return (bytes) => receive(connection, bytes)
    },
    /** Peers with a finished handshake. */
    members: (): number => connections.known.neighbours().length,
    close(): void {
      isClosed = true
      routing.close()
      connections.close()
    },
  }

  function receive(connection: MonitoredConnection, bytes: Uint8Array): void {
    const packet = isClosed ? undefined : decodePacket(bytes)
    if (!packet) return
    // The packet is forwarded unchanged: its content belongs to the members.
    if (packet.to !== ownId && packet.to !== 0) relay(connection, packet, bytes)
    else if (packet.to === 0 || mayHear(connection, bytes.length)) connections.receive(connection, bytes)
  }

  function mayHear({ peerId }: MonitoredConnection, bytes: number): boolean {
    return heardOfMember.take(String(peerId), bytes) && heard.take('all', bytes)
  }

  function sendCall(peerId: number, isRequest: boolean, payload: Uint8Array): boolean {
    const connection = connections.known.best(peerId)
    const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
    if (!connection || !told.take('all', payload.length)) return false
    connection.send(encodePacket({ from: ownId, to: peerId, type }, payload))
    return true
  }

  function relay(connection: MonitoredConnection, packet: Packet, bytes: Uint8Array): void {
    // The answer to a ping of ours has the ping's addresses: from us, to the member.
    const isPong = packet.type === packetTypes.pong && packet.from === ownId
    if (isPong || !isEstablished(connection.state)) {
      connections.receive(connection, bytes)
      return
    }
    // It proves that the connection works, so that it is not closed for unanswered pings.
    noteRelayed(connection, clock.now())
    const target = connections.known.best(packet.to)
    if (!target || target === connection || packet.forwards > MAX_FORWARDS) return
    if (maySendFor(connection.peerId, packet.from) && options.mayRelay(bytes.length)) target.send(bytes)
  }

  /**
   * Members pass on packets of others that they are connected to. A sender that is also connected to us must have listed
   * that connection in its own row; nothing is known of one that is not.
   */
  function maySendFor(sender: number, from: number): boolean {
    if (from === sender) return true
    if (from === 0 || from === ownId) return false
    if (!connections.known.best(from)) return true
    const row = table.reachableRows().find(({ peerId }) => peerId === from)
    return row?.connected.includes(sender) === true
  }

  function receiveOwn(packet: Packet, connection: PeerConnection): void {
    const isPlain = (packet.flags & packetFlags.encrypted) === 0
    if (isRpc(packet) && isPlain && packet.from === connection.peerId)
      routing.calls.receive(packet.payload, packet.from)
  }
}

/** The record of a relay, as its members receive it. */
function relayRecord(options: Pick<RelayOptions, 'hostname' | 'version' | 'randomBytes'>, peerId: number) {
  return newRecord(
    {
      peerId,
      hostname: `PublicServer_${options.hostname}`,
      address: undefined,
      programVersion: options.version,
      features: { ...NO_FEATURES, isSharedNode: true },
    },
    options.randomBytes,
  )
}

/**
 * Connections come here by their network's name and digest. A peer id that cannot be a member's gets the answer that
 * peers of other networks get, and is closed. If the network is full there is no answer, but a refusal: an answer and a close
 * would be taken for a wrong code.
 */
function relayHandshake(maxMembers: number, ownId: number): Handshake {
  const answer = encodeHello(ownId, OWN_NETWORK, new Uint8Array(DIGEST_SIZE))
  const refusal = { problem: 'refused', isSharedNode: false } as const
  return {
    hello: () => answer,
    verify({ myPeerId }, _origin, members) {
      if (myPeerId === 0 || myPeerId === ownId) return { ...refusal, answer }
      // A member that is connected already may connect over another transport, too.
      const isFull = members.length >= maxMembers && !members.includes(myPeerId)
      return isFull
        ? { answer: undefined, problem: 'node-full', isSharedNode: false }
        : { answer, problem: undefined, isSharedNode: false }
    },
  }
}
