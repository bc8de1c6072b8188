import type { OwnMachine } from '@lantern-room/base/network'

/** The ports to the machine's network, which adapters implement. */

/** An IP address as text, and a port. */
export type Endpoint = { readonly address: string; readonly port: number }

/** What is used of the machine's sockets and networks. */
export type MachineAccess = {
  /** @param port 0 = any */
  openUdp(port: number): Promise<DatagramSocket>
  /** What decides which machines are asked. */
  readonly machine: OwnMachine
}

type DatagramSocket = {
  /** Errors are silent, as on any network. */
  send(datagram: Uint8Array, to: Endpoint): void
  /** One listener; the bytes belong to it. */
  onDatagram(listener: (datagram: Uint8Array, from: Endpoint) => void): void
  close(): void
  readonly closed: Promise<void>
}

/** Routers of this machine's own networks. */
export type RouterAccess = {
  /** Addresses at which there is probably a router: IPv4, most likely first. */
  addresses(): Promise<readonly string[]>
  /** This machine's address in a subnet that the router is in; undefined where there is none. */
  localAddress(router: string): string | undefined
  /**
   * One HTTP exchange with a router, without redirects; the text has at most 64 KiB.
   * @param soap the header SOAPAction, and the body: makes it a POST
   * @returns `localAddress`: this machine's address towards the router. @throws Error, or the signal's reason
   */
  request(
    url: string,
    signal: AbortSignal,
    soap?: { readonly action: string; readonly body: string },
  ): Promise<{ readonly status: number; readonly text: string; readonly localAddress: string }>
  /** The mappings that routers still hold for this machine, kept across restarts of the program. */
  readonly record: MappingRecord
}

/** Open ports of routers, kept for the case that this program ends without closing them. None of it rejects. */
export type MappingRecord = {
  /** The mappings that earlier runs of this program left behind. */
  leftovers(): Promise<readonly PortMapping[]>
  add(mapping: PortMapping): Promise<void>
  remove(mapping: PortMapping): Promise<void>
}

/** A port of a router that leads to a port of this machine. */
export type PortMapping = NatPmpMapping | UpnpMapping

export type NatPmpMapping = MappedPort & {
  readonly method: 'nat-pmp'
  /** The router's IPv4 address. */
  readonly router: string
}

export type UpnpMapping = MappedPort & {
  readonly method: 'upnp'
  /** The URL of the router's service. */
  readonly router: string
  /** The type of that service. */
  readonly service: string
}

type MappedPort = {
  readonly transport: 'tcp' | 'udp'
  readonly localPort: number
  readonly external: Endpoint
}
