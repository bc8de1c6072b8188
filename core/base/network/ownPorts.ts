/** The uses of this program's own ports. */
export type PortUse = 'api' | 'media' | 'metrics' | 'room' | 'forward' | 'network'

/** A TCP and a UDP port of the same number are two ports. */
export type PortTransport = 'tcp' | 'udp'

/** The header `Server` of every response, by which services on one machine know each other. */
export const SERVER_NAME = 'LanternRoom'

/** What `createOwnPorts` returns: one for all services of a program. */
export type OwnPorts = ReturnType<typeof createOwnPorts>

/**
 * The ports that this program listens on now. No room leads to them.
 * @example
 * const ownPorts = createOwnPorts()
 * const forget = ownPorts.add('tcp', 5062, 'api')
 * ownPorts.useOf('tcp', 5062) // 'api'
 */
export function createOwnPorts() {
  // A port may be noted twice: for TCP and UDP, or before the listener that had it has ended.
  const noted = new Set<{
    readonly transport: PortTransport
    readonly port: number
    readonly use: PortUse
  }>()
  return {
    /** Notes a port, whatever its address is. @returns a function that forgets it */
    add(transport: PortTransport, port: number, use: PortUse): () => void {
      const entry = { transport, port, use }
      noted.add(entry)
      return () => void noted.delete(entry)
    },
    /** undefined when it is not ours */
    useOf: (transport: PortTransport, port: number): PortUse | undefined =>
      [...noted].find((entry) => entry.transport === transport && entry.port === port)?.use,
    /** The TCP port of this use; undefined while there is none. */
    portOf: (use: PortUse): number | undefined =>
      [...noted].find((entry) => entry.transport === 'tcp' && entry.use === use)?.port,
  }
}
