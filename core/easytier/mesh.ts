import { handled, raceSignal, untilAborted } from '@lantern-room/base/async'
import { createDirectConnections, type DirectConnections } from './dialing/directConnections'
import { dialOnLan } from './dialing/lanDialer'
import { type NetworkChanges, watchNetworkChanges } from './dialing/networkChanges'
import { keepSharedNodes, type SharedNodeStatus, type SharedNodes } from './dialing/sharedNodes'
import type { MeshOptions } from './meshOptions'
import { createMeshPeer, logConnections } from './meshPeer'
import type { RelayTotals } from './peer/memberRelay'
import type { Peer } from './peer/peer'
import { randomFraction } from './random'
import { namedNodes } from './transport/namedNode'
import type { Connection, PortMapping, UdpSocket } from './transport/transports'
import { createUdpTransport, type UdpTransport } from './transport/udpTransport'

/** The members of a mesh that networks use. */
export type OpenMesh = Omit<Mesh, 'peer'> & {
  readonly peer: Pick<Peer, 'peers' | 'peer' | 'send' | 'call' | 'own' | 'setOwn'>
}

/** A peer under one name and secret, with its connections, shared nodes and LAN discovery. It carries payloads unread. */
export class Mesh {
  /** Resolves, and never rejects, when no socket, timer or connection of it is left. */
  readonly released: Promise<void>
  /** Resolves with `released`, but rejects as soon as the mesh fails because the system has closed one of its sockets. */
  readonly closed: Promise<void>
  readonly peer: Peer
  readonly #options: MeshOptions
  readonly #failure = new AbortController()
  readonly #signal: AbortSignal
  readonly #udp: UdpTransport
  readonly #direct: DirectConnections | undefined
  readonly #sharedNodes: SharedNodes
  readonly #networkChanges: NetworkChanges
  /** Tasks that end by the signal. */
  readonly #running: Promise<void>[] = []
  #hasMetWrongSecret = false

  /** @throws Error when a socket cannot be opened, or the signal's reason */
  static async open(options: MeshOptions): Promise<OpenMesh> {
    const mesh = new Mesh(options, await options.transports.openUdp(0, 'both'))
    try {
      if (mesh.#direct) await mesh.#listen(mesh.#direct)
    } catch (error) {
      mesh.#failure.abort(error)
      await mesh.released
      throw error
    }
    return mesh
  }

  private constructor(options: MeshOptions, socket: UdpSocket) {
    this.#options = options
    this.#signal = AbortSignal.any([options.signal, this.#failure.signal])
    this.#failWhenClosed('UDP socket', socket.closed)
    this.#udp = createUdpTransport({ socket, clock: options.clock, randomBytes: options.randomBytes })
    this.peer = createMeshPeer(options)
    this.#direct = options.isDirect ? this.#connectDirectly() : undefined
    this.#sharedNodes = this.#keepSharedNodes()
    this.#running.push(this.#sharedNodes.closed)
    this.#networkChanges = this.#watchNetworkChanges()
    this.#followPeer()
    this.released = untilAborted(this.#signal).then(() => this.#release())
    this.closed = handled(raceSignal(this.released, this.#failure.signal))
  }

  nodes(): readonly SharedNodeStatus[] {
    return this.#sharedNodes.statuses()
  }

  mappings(): readonly PortMapping[] {
    return this.#direct?.mappings() ?? []
  }

  relayed(): RelayTotals {
    return this.peer.relayed() ?? { pairs: 0, bytes: 0 }
  }

  isReachableByAll(): boolean {
    return this.#direct?.isReachableByAll() ?? false
  }

  /** A peer with our network's name and another secret was met, or a shared node refused ours. */
  wasRefused(): boolean {
    return this.#hasMetWrongSecret || this.#sharedNodes.refusals() > 0
  }

  isRefusedEverywhere(): boolean {
    const { length } = namedNodes(this.#options)
    return length > 0 && this.#sharedNodes.refusals() === length
  }

  #keepSharedNodes(): SharedNodes {
    const { transports, clock, randomBytes, log } = this.#options
    return keepSharedNodes({
      transports,
      clock,
      log,
      udp: this.#udp,
      signal: this.#signal,
      nodes: namedNodes(this.#options),
      onStatus: () => {
        this.#networkChanges.nodesChanged()
        this.#options.onChange()
      },
      random: () => randomFraction(randomBytes),
      onConnection: (connection, url) => this.peer.connections.take(connection, { isDialler: true, url }),
    })
  }

  #watchNetworkChanges(): NetworkChanges {
    const { transports, clock, log } = this.#options
    return watchNetworkChanges({
      transports,
      clock,
      log,
      nodes: this.#sharedNodes.statuses,
      onOtherAddress: () => this.#direct?.askAnew(),
      onOtherNetwork: () => {
        this.peer.connections.known.suspectAll()
        this.#sharedNodes.retryAll()
        this.#direct?.restart()
      },
    })
  }

  #followPeer(): void {
    const peer = this.peer
    peer.connectionOpened.subscribe(this.#sharedNodes.connectionOpened)
    peer.connectionClosed.subscribe(this.#sharedNodes.connectionClosed)
    peer.connectionClosed.subscribe(({ connection, problem }) => {
      if (problem === 'wrong-secret' && connection.origin.isDialler) this.#hasMetWrongSecret = true
    })
    peer.peersChanged.subscribe(this.#options.onChange)
    logConnections(peer, this.#options.log)
  }

  /** Connects the members that a direct connection is wanted to, and offers to relay for others while all of them can reach us. */
  #connectDirectly(): DirectConnections {
    const { transports, clock, randomBytes, log, nodes, invitedNodes, stunServers } = this.#options
    const { wantsDirect, relays, onRefused, onChange } = this.#options
    const { peer } = this
    const direct = createDirectConnections({
      transports,
      clock,
      randomBytes,
      log,
      nodes,
      invitedNodes,
      stunServers,
      peer,
      udp: this.#udp,
      signal: this.#signal,
      wants(peerId) {
        const member = peer.peer(peerId)
        return member !== undefined && !member.record.features.refusesDirect && wantsDirect(member)
      },
      attach: (connection, openedBy) => peer.connections.take(connection, openedBy),
      onOverShare: (peerId) => onRefused('listeners', peerId),
      onReach() {
        const { features } = peer.own()
        if (relays) peer.setOwn({ features: { ...features, avoidsRelay: !direct.isReachableByAll() } })
        onChange()
      },
    })
    return direct
  }

  /** Accepts incoming connections, and finds peers on the LAN. */
  async #listen(direct: DirectConnections): Promise<void> {
    const { transports, clock, log, lan } = this.#options
    const accept = (connection: Connection) => this.peer.connections.take(connection, { isDialler: false })
    this.#udp.accept(accept)
    const { port, closed } = await transports.listenTcp(0, accept, this.#signal)
    const lanClosed = dialOnLan({
      transports,
      clock,
      log,
      udp: this.#udp,
      signal: this.#signal,
      key: lan.key,
      announces: lan.announces,
      port,
      isFound: () => this.#isFoundOnLan(),
      onConnection: (connection) => this.peer.connections.take(connection, { isDialler: true }),
    })
    this.#running.push(closed, lanClosed)
    this.#failWhenClosed('TCP listener', closed)
    direct.start(port)
  }

  #isFoundOnLan(): boolean {
    const members = this.peer.connections.established().filter(({ isSharedNode }) => !isSharedNode)
    const { isFoundOnLan } = this.#options
    return isFoundOnLan ? isFoundOnLan(members.map(({ peerId }) => peerId)) : members.length > 0
  }

  #failWhenClosed(what: string, closed: Promise<void>): void {
    void closed.then(() => {
      if (!this.#signal.aborted) this.#failure.abort(new Error(`the system has closed the ${what}`))
    })
  }

  async #release(): Promise<void> {
    this.#networkChanges.close()
    this.peer.close()
    this.#udp.close()
    await Promise.all([...this.#running, this.#direct?.closed()])
  }
}
