import type { Clock } from '../../ports'
import { createPacketSeal } from '../crypto/seal'
import { type NetworkIdentity, networkKey } from '../crypto/secret'
import type { RpcAnswer } from '../rpc/call'
import { type RpcMethodName, rpcMethods } from '../wire/messages'
import { encodePacket, MAX_FORWARDS, type Packet, packetFlags, packetTypes } from '../wire/packet'
import type { PeerRecord, ReceivedRecord } from '../wire/peerRecord'
import { type CallDone, createCalls, type Serve } from './calls'
import { memberGreeting } from './greeting'
import type { Link, LinkOrigin, LinkProblem } from './link'
import { createLinks, type Links } from './links'
import { createRouteSessions } from './routeSessions'
import { createRouteTable } from './routeTable'

/** A peer of one network: it owns no socket and no timer but those of the clock it is given. */
export type Node = {
  readonly ownId: number
  addLink(id: number, origin: LinkOrigin): void
  removeLink(id: number): void
  /** A whole packet that a link brought; it must not change afterwards. */
  receive(id: number, packet: Uint8Array): void
  /** Members and shared nodes that can be reached now, this one left out. */
  peers(): readonly NodePeer[]
  peer(peerId: number): NodePeer | undefined
  links(): readonly Link[]
  dropLink(id: number, problem: LinkProblem): void
  own(): PeerRecord
  setOwn(change: Parameters<ReturnType<typeof createRouteTable>['setOwn']>[0]): void
  /**
   * Sends a sealed packet; the payload is read before this returns.
   * @returns false when there is no way to the peer
   */
  send(peerId: number, type: number, payload: Uint8Array, flags?: number): boolean
  call(peerId: number, method: RpcMethodName, request: Uint8Array, timeoutMs: number, done: CallDone): void
  /** Closes every link; nothing is called back afterwards. */
  close(): void
}

export type NodePeer = {
  readonly record: ReceivedRecord
  /** The best link to it, when there is one. */
  readonly link: Link | undefined
  /** The link that packets to it take: its own, or a relay's. */
  readonly via: Link | undefined
}

export type NodeOptions = {
  readonly identity: NetworkIdentity
  /** All of our record but what the table fills in. */
  readonly record: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly send: (link: number, packet: Uint8Array) => void
  readonly close: (link: number) => void
  readonly onLinkOpen: (link: Link) => void
  readonly onLinkClosed: (link: Link, problem: LinkProblem, wasOpen: boolean) => void
  /** Who is there, or how they are reached, has changed. */
  readonly onPeers: () => void
  /** A sealed packet of a member for us: KCP or IP. */
  readonly onPayload: (type: number, payload: Uint8Array, from: number) => void
  /** Calls beside those that every peer answers: addresses and hole punching. */
  readonly serve: Serve
}

const TICK_MS = 500
const SYNC_MS = 3000

export function createNode(options: NodeOptions): Node {
  const { identity, clock, record, randomBytes } = options
  const ownId = record.peerId
  const random32 = () => new DataView(Uint8Array.from(randomBytes(4)).buffer).getUint32(0)
  const randomId = () => String(new DataView(Uint8Array.from(randomBytes(8)).buffer).getBigUint64(0))
  const seal = createPacketSeal(networkKey(identity.secret), randomBytes)
  const table = createRouteTable(record, clock.unixTime)
  let isClosed = false
  let cancelSoon: (() => void) | undefined

  const calls = createCalls({
    ...{ ownId, clock, random32, networkName: identity.name, serve },
    send: (peerId, isRequest, payload) =>
      sendRpc(peerId, isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse, payload),
  })
  const sessions = createRouteSessions({
    ...{ table, randomId, now: clock.now, onNews: changed },
    call: (peerId, request, done) =>
      calls.call(peerId, 'syncRouteInfo', request, SYNC_MS, (result) =>
        done(result.kind === 'answer' ? result.response : undefined),
      ),
  })
  const links: Links = createLinks({
    ...{ ownId, clock, send: options.send, close: options.close, onPacket },
    greeting: memberGreeting(identity, ownId),
    onOpen(link) {
      table.setNeighbours(links.neighbours())
      sessions.add(link.peerId)
      sessions.sync(clock.now())
      options.onLinkOpen(link)
      changed()
    },
    onClosed(link, problem, wasOpen) {
      const neighbours = links.neighbours()
      table.setNeighbours(neighbours)
      if (wasOpen && !neighbours.includes(link.peerId)) sessions.remove(link.peerId)
      if (!isClosed) options.onLinkClosed(link, problem, wasOpen)
      if (wasOpen) changed()
    },
    onChange: () => !isClosed && options.onPeers(),
  })
  let cancelTick = clock.after(TICK_MS, tick)

  return {
    ownId,
    addLink: (id, origin) => links.add(id, origin),
    removeLink: (id) => links.remove(id),
    receive: (id, packet) => links.receive(id, packet),
    links: links.list,
    dropLink: links.drop,
    own: table.own,
    peers: () =>
      table.reachableRecords().flatMap(({ peerId }) => (peerId === ownId ? [] : (peer(peerId) ?? []))),
    peer,
    setOwn(change) {
      table.setOwn(change)
      changed()
    },
    send: (peerId, type, payload, flags = 0) => sendVia(peerId, { type, flags }, payload, true),
    call: calls.call,
    close() {
      isClosed = true
      cancelTick()
      cancelSoon?.()
      links.close()
      calls.close()
    },
  }

  function tick(): void {
    cancelTick = clock.after(TICK_MS, tick)
    links.tick()
    if (table.tick(clock.now())) changed()
    sessions.sync(clock.now())
  }

  /** Tells everybody, once for all that changes in one go. */
  function changed(): void {
    if (isClosed || cancelSoon) return
    cancelSoon = clock.after(0, () => {
      cancelSoon = undefined
      sessions.sync(clock.now())
      options.onPeers()
    })
  }

  function peer(peerId: number): NodePeer | undefined {
    const found = table.record(peerId)
    if (!found || peerId === ownId || !table.isReachable(peerId)) return undefined
    const hop = table.nextHop(peerId)
    return { record: found, link: links.best(peerId), via: hop === undefined ? undefined : links.best(hop) }
  }

  function sendVia(
    peerId: number,
    target: { readonly type: number; readonly flags: number },
    payload: Uint8Array,
    isSealed: boolean,
  ): boolean {
    const hop = table.nextHop(peerId)
    const link = hop === undefined ? undefined : links.best(hop)
    if (!link) return false
    const to = { ...target, from: ownId, to: peerId }
    options.send(link.id, isSealed ? seal.seal(to, payload) : encodePacket(to, payload))
    return true
  }

  /** Shared nodes have no key: they are spoken to in plain, also those behind another one. */
  function sendRpc(peerId: number, type: number, payload: Uint8Array): boolean {
    const link = links.best(peerId)
    const isPlain = table.record(peerId)?.features.isSharedNode ?? (link ? link.isSharedNode : true)
    return sendVia(peerId, { type, flags: 0 }, payload, !isPlain)
  }

  function onPacket(packet: Packet, link: Link): void {
    // Nothing is passed on for others: our record says so.
    if (packet.to !== ownId || packet.forwards > MAX_FORWARDS || packet.from === ownId) return
    const isRpc = packet.type === packetTypes.rpcRequest || packet.type === packetTypes.rpcResponse
    const isSealed = (packet.flags & packetFlags.encrypted) !== 0
    // Whoever carries packets must not be able to speak for a member.
    if (!isSealed && !(isRpc && isSharedNode(packet.from, link))) return
    const payload = seal.open(packet)
    if (!payload) return
    if (isRpc) calls.receive(payload, packet.from)
    else options.onPayload(packet.type, payload, packet.from)
  }

  function isSharedNode(peerId: number, link: Link): boolean {
    if (peerId === link.peerId) return link.isSharedNode
    return table.record(peerId)?.features.isSharedNode ?? false
  }

  function serve(
    method: RpcMethodName,
    request: Uint8Array,
    from: number,
    reply: (answer: RpcAnswer) => void,
  ): undefined | 'taken' {
    if (method === 'syncRouteInfo') {
      const response = sessions.answer(from, request, clock.now())
      reply(response ? { kind: 'response', response } : { kind: 'error', error: { kind: 'bad-request' } })
      return 'taken'
    }
    // Who is nearest to whom is of no use in a room: an empty map is a right answer.
    if (method === 'reportPeers') reply({ kind: 'response', response: new Uint8Array(0) })
    else if (method === 'getGlobalPeerMap') {
      reply({ kind: 'response', response: rpcMethods.getGlobalPeerMap.response.encode({}) })
    } else return options.serve(method, request, from, reply)
    return 'taken'
  }
}
