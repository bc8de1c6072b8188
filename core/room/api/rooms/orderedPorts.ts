import type { PortTransport } from '#core/ownPorts'
import type { ExtraPort } from '../../extraPorts'
import type { WantedPort } from '../../service/world/portGuard'

/** The client's names of the fields that name ports to share, for the error. */
type PortFields = {
  readonly gamePort: string
  readonly extraPort: (at: number, transport: PortTransport) => string
}

const PORT_FIELDS: PortFields = {
  gamePort: 'gamePort',
  extraPort: (at, transport) => `ports.${at}.${transport}`,
}

/**
 * The ports that an order wants to share.
 * @param order.scaffoldingPort where the room protocol is going to listen, if the order opens a room
 */
export function portsOf(
  order: {
    readonly gamePort?: number | undefined
    readonly extraPorts?: readonly ExtraPort[]
    readonly scaffoldingPort?: number
  },
  fields: PortFields = PORT_FIELDS,
): readonly WantedPort[] {
  const { gamePort, extraPorts = [], scaffoldingPort } = order
  return [
    ...wanted(fields.gamePort, 'tcp', gamePort),
    ...extraPorts.flatMap(({ tcp, udp }, at) => [
      ...wanted(fields.extraPort(at, 'tcp'), 'tcp', tcp),
      ...wanted(fields.extraPort(at, 'udp'), 'udp', udp),
    ]),
  ]

  function wanted(field: string, transport: PortTransport, port: number | undefined): readonly WantedPort[] {
    if (port === undefined) return []
    const isRoomPort = transport === 'tcp' && port === scaffoldingPort
    return [{ field, transport, port, use: isRoomPort ? 'room' : undefined }]
  }
}
