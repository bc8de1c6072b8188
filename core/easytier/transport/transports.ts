import type { Origin, OwnMachine } from '@lantern-room/base/network'
import type { RouterAccess } from '@lantern-room/routers'
import type { Endpoint, NodeUrl } from '../wire/socketAddress'

/** The ports to the machine's network, which adapters and the simulator implement. */

export type TransportKind = 'tcp' | 'udp' | 'ws'

/** An established connection that carries whole peer packets to one neighbour. */
export type Connection = {
  readonly transport: TransportKind
  readonly remote: Endpoint
  /** The port at this machine's end. */
  readonly localPort: number
  /** Sends a packet of 16 to 2,000 bytes, which must not change afterwards; dropped when too much is queued. */
  send(packet: Uint8Array): void
  /** One listener; packets that arrive before it is set are held. The bytes belong to it. */
  onPacket(listener: (packet: Uint8Array) => void): void
  close(): void
  /** Resolves, and never rejects, when either side has closed it. */
  readonly closed: Promise<void>
}

/** Datagrams of one UDP socket. */
export type UdpSocket = {
  readonly port: number
  /** Errors are silent, as on any network. */
  send(datagram: Uint8Array, to: Endpoint): void
  /** One listener; the bytes belong to it. */
  onDatagram(listener: (datagram: Uint8Array, from: Endpoint) => void): void
  close(): void
  readonly closed: Promise<void>
}

export type Transports = {
  /** IPv4 and IPv6 addresses of a host name, or the address itself; IPv4 first. @throws Error when there is none */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>
  /**
   * @param from.localPort binds the connection to it, for hole punching. @throws Error when refused or the signal
   * aborts
   */
  dialTcp(to: Endpoint, signal: AbortSignal, from?: { readonly localPort: number }): Promise<Connection>
  /**
   * ws and wss. The certificate is not verified, as in every node of this network: packets are sealed, and names are
   * public.
   * @param address of the URL's host, which is connected to
   */
  dialWs(url: NodeUrl, address: string, signal: AbortSignal): Promise<Connection>
  /** Listens on all addresses, of IPv4 and, where it exists, IPv6. @param port 0 = any. Closed by the signal. */
  listenTcp(
    port: number,
    onConnection: (connection: Connection) => void,
    signal: AbortSignal,
  ): Promise<{ readonly port: number; readonly closed: Promise<void> }>
  /**
   * @param port 0 = any
   * @param families `both` takes IPv6, too, on the same port, where the machine has it
   */
  openUdp(port: number, families?: 'ipv4' | 'both'): Promise<UdpSocket>
  /**
   * The text at an http or https address, redirects followed, at most 64 KiB. A redirect to another scheme is the text.
   * @param origin of the URL. @throws OutboundRefusal where it, or a redirect, leads to a machine that is not to be asked; another Error
   */
  fetchText(url: string, origin: Origin, signal: AbortSignal): Promise<string>
  /**
   * Whether a login page of this wifi answers in place of the internet. @throws where nothing does
   * @default none is looked for
   */
  readonly isBehindPortal?: (signal: AbortSignal) => Promise<boolean>
  /** The addresses at which others may reach this machine, without loopback unless there is nothing else. */
  interfaceAddresses(): readonly string[]
  /** What decides which machines are asked. Its subnets are those of these addresses. */
  readonly machine: OwnMachine
  /** Called after the interfaces have changed, or the machine has slept. @returns a function that unsubscribes */
  onNetworkChange(listener: () => void): () => void
  readonly lan: LanDiscovery
  /** A STUN response over TCP to a local port, which is free again afterwards. @throws Error */
  stunTcp(server: Endpoint, localPort: number, signal: AbortSignal): Promise<Endpoint>
  /**
   * The means to ask a router for ports.
   * @default none is asked
   */
  readonly routers?: RouterAccess | undefined
}

/** Finds listeners of the same network on the LAN. */
export type LanDiscovery = {
  /** Announces our listener under this key until the signal aborts. */
  announce(key: string, port: number, signal: AbortSignal): Promise<void>
  /** Searches for listeners of this key until the signal aborts; the callback gets each one repeatedly. */
  discover(key: string, onFound: (at: Endpoint) => void, signal: AbortSignal): Promise<void>
}
