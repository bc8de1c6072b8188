/** The uses of this program's own ports. */
export type PortUse = 'api' | 'media' | 'metrics' | 'room' | 'forward' | 'network'

/** A TCP and a UDP port of the same number are two ports. */
export type PortTransport = 'tcp' | 'udp'

/** The header `Server` of every response, by which services on one machine know each other. */
export const SERVER_NAME = 'LanternRoom'

type Entry = { readonly transport: PortTransport; readonly port: number; readonly use: PortUse }

/**
 * The ports that this program listens on now: one for all services of a program. No room leads to them.
 * @example
 * const ownPorts = new OwnPorts()
 * const forget = ownPorts.add('tcp', 5062, 'api')
 * ownPorts.useOf('tcp', 5062) // 'api'
 */
export class OwnPorts {
  /** A port may be noted twice: for TCP and UDP, or before the listener that had it has ended. */
  readonly #noted = new Set<Entry>()

  /** Notes a port, whatever its address is. @returns a function that forgets it */
  add(transport: PortTransport, port: number, use: PortUse): () => void {
    const entry = { transport, port, use }
    this.#noted.add(entry)
    return () => void this.#noted.delete(entry)
  }

  /** undefined when it is not ours */
  useOf(transport: PortTransport, port: number): PortUse | undefined {
    return [...this.#noted].find((entry) => entry.transport === transport && entry.port === port)?.use
  }

  /** The TCP port of this use; undefined while there is none. */
  portOf(use: PortUse): number | undefined {
    return [...this.#noted].find((entry) => entry.transport === 'tcp' && entry.use === use)?.port
  }
}
