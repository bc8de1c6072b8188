import type { PortTransport } from '#core/ownPorts'
import type { ExtraPort } from '../../extraPorts'
import type { WantedPort } from '../../service/world/portGuard'

/**
 * The ports that an order wants to share.
 * @param order.scaffoldingPort where the room protocol is going to listen, if the order opens a room
 */
export function portsOf(order: {
  readonly gamePort?: number | undefined
  readonly extraPorts?: readonly ExtraPort[]
  readonly scaffoldingPort?: number
}): readonly WantedPort[] {
  const { gamePort, extraPorts = [], scaffoldingPort } = order
  return [
    ...wanted('gamePort', 'tcp', gamePort),
    ...extraPorts.flatMap(({ tcp, udp }, at) => [
      ...wanted(`ports.${at}.tcp`, 'tcp', tcp),
      ...wanted(`ports.${at}.udp`, 'udp', udp),
    ]),
  ]

  function wanted(field: string, transport: PortTransport, port: number | undefined): readonly WantedPort[] {
    if (port === undefined) return []
    const isRoomPort = transport === 'tcp' && port === scaffoldingPort
    return [{ field, transport, port, use: isRoomPort ? 'room' : undefined }]
  }
}
