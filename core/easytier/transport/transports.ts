import type { Endpoint, NodeUrl } from '../wire/socketAddress'

/** What the overlay needs of the machine's network. Adapters implement it; a simulator, too. */

/** What carries the packets of a connection. */
export type TransportKind = 'tcp' | 'udp' | 'ws'

/** Carries whole peer packets to one neighbour. */
export type Connection = {
  readonly transport: TransportKind
  readonly remote: Endpoint
  /** Of the machine's own end. */
  readonly localPort: number
  /** Takes a packet of 16 to 2,000 bytes, which must not change afterwards; dropped when too much waits already. */
  send(packet: Uint8Array): void
  /** One listener; what comes before there is one waits. The bytes belong to it. */
  onPacket(listener: (packet: Uint8Array) => void): void
  close(): void
  /** Resolves, never rejects, when it is closed by either side. */
  readonly closed: Promise<void>
}

/** Datagrams of one UDP socket. */
export type UdpSocket = {
  readonly port: number
  /** Errors are silence, as on any network. */
  send(datagram: Uint8Array, to: Endpoint): void
  /** One listener; the bytes belong to it. */
  onDatagram(listener: (datagram: Uint8Array, from: Endpoint) => void): void
  close(): void
  readonly closed: Promise<void>
}

export type Transports = {
  /** IPv4 and IPv6 addresses of a host name, or the address itself; IPv4 first. @throws Error when there is none */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>
  /** @param from.localPort binds the connection to it, for punching. @throws Error when refused or the signal aborts */
  dialTcp(to: Endpoint, signal: AbortSignal, from?: { readonly localPort: number }): Promise<Connection>
  /** ws and wss; the certificate is not verified, as by every node of this network: packets are sealed, and names public. */
  dialWs(url: NodeUrl, signal: AbortSignal): Promise<Connection>
  /** Listens on all addresses, IPv4 and IPv6 where there is one. @param port 0 = any. Closes by the signal. */
  listenTcp(
    port: number,
    onLink: (link: Connection) => void,
    signal: AbortSignal,
  ): Promise<{ readonly port: number; readonly closed: Promise<void> }>
  /** @param port 0 = any */
  openUdp(port: number): Promise<UdpSocket>
  /** The text at an http or https address, redirects followed, at most 64 KiB. A redirect to another scheme is the text. */
  fetchText(url: string, signal: AbortSignal): Promise<string>
  /** The machine's own addresses that others may reach, without loopback unless that is all there is. */
  interfaceAddresses(): readonly string[]
  /** Told after the interfaces have changed, or the machine has slept. @returns a function that takes the listener off */
  onNetworkChange(listener: () => void): () => void
  readonly lan: LanDiscovery
  /** A STUN answer over TCP from a local port that is free again afterwards. @throws Error */
  stunTcp(server: Endpoint, localPort: number, signal: AbortSignal): Promise<Endpoint>
}

/** Finds listeners of the same network on the LAN. */
export type LanDiscovery = {
  /** Announces our listener under this key until the signal aborts. */
  announce(key: string, port: number, signal: AbortSignal): Promise<void>
  /** Looks for listeners of this key until the signal aborts; told each one, again and again. */
  discover(key: string, onFound: (at: Endpoint) => void, signal: AbortSignal): Promise<void>
}
