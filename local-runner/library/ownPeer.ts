import { createDeferred, createEmitter, handled, raceSignal } from '@lantern-room/base/async'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import type { Network, NetworkOptions, RemotePeer } from '@lantern-room/easytier'
import type { EasyTierMember, EasyTierNode, EasyTierPeer, FlowHandler, StreamHandler } from './peer'

/** How the network is opened: with everything that the peer decides. */
export type OpenNetwork = (
  handlers: Pick<NetworkOptions, 'acceptsTcp' | 'acceptsUdp' | 'onStream' | 'onFlow' | 'onChange'>,
) => Promise<Network>

/** A peer on the network of `core/easytier`. */
export class OwnPeer implements EasyTierPeer {
  readonly #network: Network
  readonly #ports: Ports
  readonly #changed: ReturnType<typeof createEmitter<void>>

  /** @throws Error when a socket cannot be opened */
  static async open(openNetwork: OpenNetwork): Promise<OwnPeer> {
    const changed = createEmitter<void>()
    const ports: Ports = { tcp: new Map(), udp: new Map() }
    const network = await openNetwork({
      acceptsTcp: (port) => ports.tcp.has(port),
      acceptsUdp: (port) => ports.udp.has(port),
      onStream(stream, { port, peerId }) {
        const handle = ports.tcp.get(port)
        if (handle) handle(stream, peerId)
        else stream.destroy()
      },
      onFlow(flow, { port, peerId }) {
        const handle = ports.udp.get(port)
        if (handle) handle(flow, peerId)
        else flow.close()
      },
      onChange: () => changed.emit(),
    })
    return new OwnPeer(network, ports, changed)
  }

  private constructor(network: Network, ports: Ports, changed: ReturnType<typeof createEmitter<void>>) {
    this.#network = network
    this.#ports = ports
    this.#changed = changed
  }

  get id(): number {
    return this.#network.ownId
  }

  get address(): string | undefined {
    return this.#network.address()
  }

  get closed(): Promise<void> {
    return this.#network.closed
  }

  members(): readonly EasyTierMember[] {
    return this.#network
      .peers()
      .filter(({ record }) => !record.features.isSharedNode)
      .map(memberOf)
  }

  nodes(): readonly EasyTierNode[] {
    return this.#network
      .nodes()
      .map(({ url, state, latencyMs, problem }) => ({ url, state, latencyMs, problem }))
  }

  onChange(listener: () => void): () => void {
    return this.#changed.subscribe(listener)
  }

  async member(isWanted: (member: EasyTierMember) => boolean, signal?: AbortSignal): Promise<EasyTierMember> {
    const found = createDeferred<EasyTierMember>()
    const look = () => {
      const member = this.members().find(isWanted)
      if (member) found.resolve(member)
    }
    const unsubscribe = this.onChange(look)
    const stopped = handled(
      this.closed.then(() => {
        throw new Error('The peer has stopped.')
      }),
    )
    try {
      look()
      const first = Promise.race([found.promise, stopped])
      return await (signal ? raceSignal(first, signal) : first)
    } finally {
      unsubscribe()
    }
  }

  async dial(member: EasyTierMember, port: number, signal?: AbortSignal): Promise<ByteStream> {
    return this.#network.dial(member.id, { address: addressOf(member), port }, signal)
  }

  datagrams(member: EasyTierMember, port: number): DatagramFlow {
    return this.#network.datagrams(member.id, { address: addressOf(member), port })
  }

  handleTcp(port: number, handler: StreamHandler): () => void {
    return take(this.#ports.tcp, port, handler)
  }

  handleUdp(port: number, handler: FlowHandler): () => void {
    return take(this.#ports.udp, port, handler)
  }
}

type Ports = { readonly tcp: Map<number, StreamHandler>; readonly udp: Map<number, FlowHandler> }

function take<Handler>(ports: Map<number, Handler>, port: number, handler: Handler): () => void {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new RangeError(`The port ${port} is none: it is a whole number from 1 to 65535.`)
  if (ports.has(port)) throw new Error(`The port ${port} is handled already.`)
  ports.set(port, handler)
  return () => {
    if (ports.get(port) === handler) ports.delete(port)
  }
}

function memberOf({ record, connection }: RemotePeer): EasyTierMember {
  return {
    id: record.peerId,
    hostname: record.hostname,
    address: record.address,
    path: connection ? 'direct' : 'relay',
    latencyMs: connection?.roundTrip,
    version: record.programVersion,
  }
}

function addressOf({ address, hostname }: EasyTierMember): string {
  if (address === undefined) throw new Error(`The member ${hostname} has no address.`)
  return address
}
