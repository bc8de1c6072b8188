import type { Log } from '@lantern-room/base'
import type { ExtraPort } from '@lantern-room/protocol'
import type { ExposedPorts } from '../../roomNetwork'
import type { PortGuard } from './portGuard'

export type HostedPorts = ReturnType<typeof createExposedPorts>

/** Ports of earlier worlds that stay exposed. */
const MAX_EARLIER = 8

/**
 * The ports of this machine that members of a hosted room may reach.
 * Beside the world's own port those of the room's earlier worlds lead to it, because guests of other programs ask for the port
 * once and never again. No program that may have an earlier port now can be reached by it.
 */
export function createExposedPorts(
  extraPorts: readonly ExtraPort[],
  { portGuard, log }: { readonly portGuard: Pick<PortGuard, 'isOwn' | 'isUnknown'>; readonly log: Log },
) {
  let room: readonly number[] = []
  let wanted: readonly ExtraPort[] = []
  let world: number | undefined
  let earlier: readonly number[] = []

  shareOnly(extraPorts)

  const extra = (): readonly ExtraPort[] =>
    wanted.filter((port) => !portGuard.isOwn(port) && !portGuard.isUnknown(port))

  /** Orders with a port of this program are refused, but a kept room can come back when it has other ports than before. */
  function shareOnly(ports: readonly ExtraPort[]): void {
    wanted = ports
    const own = ports.filter(portGuard.isOwn)
    if (own.length > 0) log.warn('ports that this program uses itself are not shared', { ports: own })
  }

  function withoutWorld(): ExposedPorts {
    return {
      tcp: [...room, ...extra().flatMap(({ tcp }) => tcp ?? [])],
      udp: extra().flatMap(({ udp }) => udp ?? []),
    }
  }

  return {
    /** @param port of the room protocol */
    openRoom(port: number): void {
      room = [port]
    },
    /** @param next undefined while there is no world */
    changeWorld(next: number | undefined): void {
      if (world !== undefined) earlier = [world, ...earlier.filter((port) => port !== world)]
      world = next
      earlier = earlier.filter((port) => port !== next).slice(0, MAX_EARLIER)
    },
    shareOnly,
    wanted: (): readonly ExtraPort[] => wanted,
    /** Without those that this program itself has now. */
    extra,
    /** Whether a service of this kind has this port, which was ordered for the world. */
    isOwn: (port: number): boolean => portGuard.isOwn({ tcp: port }),
    /** Whether some are left out for that. */
    lacksPorts: (): boolean => wanted.some(portGuard.isOwn),
    /** The present world's port comes first, after the others. */
    all(): ExposedPorts {
      const { tcp, udp } = withoutWorld()
      const leading = world === undefined ? [] : [world, ...earlier]
      return { tcp: [...tcp, ...leading], udp: [...udp, ...leading] }
    },
    /** The room protocol and the extra ports. */
    withoutWorld,
  }
}
