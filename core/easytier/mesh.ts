import { handled, raceSignal, untilAborted } from '@lantern-room/base/async'
import type { PortMapping } from '@lantern-room/routers'
import type { DirectConnections } from './dialing/directConnections'
import { dialOnLan } from './dialing/lanDialer'
import { type NetworkChanges, watchNetworkChanges } from './dialing/networkChanges'
import type { SharedNodeStatus, SharedNodes } from './dialing/sharedNodes'
import type { MeshOptions } from './meshOptions'
import { failWhenClosed, logConnections, type MeshParts, openMeshParts } from './meshParts'
import type { RelayTotals } from './peer/memberRelay'
import type { Peer } from './peer/peer'
import { namedNodes } from './transport/namedNode'
import type { Connection } from './transport/transports'
import type { UdpTransport } from './transport/udpTransport'

/** The members of a mesh that networks use. */
export type OpenMesh = Omit<Mesh, 'peer'> & {
  readonly peer: Pick<Peer, 'peers' | 'peer' | 'send' | 'call' | 'own' | 'setOwn' | 'sealsOtherwise'>
}

/** A peer under one name and secret, with its connections, shared nodes and LAN discovery. It carries payloads unread. */
export class Mesh {
  readonly peer: Peer
  readonly #options: MeshOptions
  readonly #failure: AbortController
  readonly #signal: AbortSignal
  readonly #udp: UdpTransport
  readonly #direct: DirectConnections | undefined
  readonly #sharedNodes: SharedNodes
  /** Tasks that end by the signal. */
  readonly #running: Promise<void>[] = []
  #released: Promise<void> = Promise.resolve()
  #closed: Promise<void> = Promise.resolve()
  #hasMetWrongSecret = false

  /** @throws Error when a socket cannot be opened, or the signal's reason */
  static async open(options: MeshOptions): Promise<OpenMesh> {
    const parts = openMeshParts(options, await options.transports.openUdp(0, 'both'))
    const mesh = new Mesh(options, parts)
    mesh.#follow()
    try {
      if (parts.direct) await mesh.#listen(parts.direct)
    } catch (error) {
      parts.failure.abort(error)
      await mesh.#released
      throw error
    }
    return mesh
  }

  private constructor(options: MeshOptions, parts: MeshParts) {
    this.#options = options
    this.#failure = parts.failure
    this.#signal = parts.signal
    this.#udp = parts.udp
    this.peer = parts.peer
    this.#direct = parts.direct
    this.#sharedNodes = parts.sharedNodes
  }

  /** Resolves, and never rejects, when no socket, timer or connection of it is left. */
  get released(): Promise<void> {
    return this.#released
  }

  /** Resolves with `released`, but rejects as soon as the mesh fails because the system has closed one of its sockets. */
  get closed(): Promise<void> {
    return this.#closed
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

  #follow(): void {
    const { transports, clock, log } = this.#options
    const networkChanges = watchNetworkChanges({
      transports,
      clock,
      log,
      onOtherAddress: () => this.#direct?.askAnew(),
      onOtherNetwork: () => {
        this.peer.connections.known.suspectAll()
        this.#sharedNodes.retryAll()
        this.#direct?.restart()
      },
    })
    this.#sharedNodes.statusChanged.subscribe(() => {
      networkChanges.nodesChanged(this.#sharedNodes.statuses())
      this.#options.onChange()
    })
    this.#direct?.reachChanged.subscribe(() => this.#noteReach())
    this.#followPeer()
    this.#running.push(this.#sharedNodes.closed)
    this.#released = untilAborted(this.#signal).then(() => this.#release(networkChanges))
    this.#closed = handled(raceSignal(this.#released, this.#failure.signal))
  }

  #followPeer(): void {
    const { peer } = this
    peer.connectionOpened.subscribe((connection) => this.#sharedNodes.connectionOpened(connection))
    peer.connectionClosed.subscribe((closed) => {
      this.#sharedNodes.connectionClosed(closed)
      const { connection, problem } = closed
      if (problem === 'wrong-secret' && connection.origin.isDialler) this.#hasMetWrongSecret = true
    })
    peer.peersChanged.subscribe(this.#options.onChange)
    logConnections(peer, this.#options.log)
  }

  /** Offers to relay for others while all of them can reach us. */
  #noteReach(): void {
    const { features } = this.peer.own()
    if (this.#options.relays)
      this.peer.setOwn({ features: { ...features, avoidsRelay: !this.isReachableByAll() } })
    this.#options.onChange()
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
    failWhenClosed('TCP listener', closed, this.#failure, this.#signal)
    direct.start(port)
  }

  #isFoundOnLan(): boolean {
    const members = this.peer.connections.established().filter(({ isSharedNode }) => !isSharedNode)
    const { isFoundOnLan } = this.#options
    return isFoundOnLan ? isFoundOnLan(members.map(({ peerId }) => peerId)) : members.length > 0
  }

  async #release(networkChanges: NetworkChanges): Promise<void> {
    networkChanges.close()
    this.peer.close()
    this.#udp.close()
    await Promise.all([...this.#running, this.#direct?.closed()])
  }
}
