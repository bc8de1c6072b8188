import type { ExtraPort } from '../extraPorts'
import type { ExposedPorts } from '../roomNetwork'

/** The ports of this machine that members of a hosted room may reach. */
export type HostedPorts = {
  /** @param port of the room protocol */
  openRoom(port: number): void
  /** @param next undefined while there is no world */
  changeWorld(next: number | undefined): void
  /** Replaces the extra ports. */
  shareOnly(ports: readonly ExtraPort[]): void
  extra(): readonly ExtraPort[]
  /** The present world's port comes first, after the others. */
  all(): ExposedPorts
  /** The room protocol and the extra ports. */
  withoutWorld(): ExposedPorts
}

/** Ports of earlier worlds that stay exposed. */
const MAX_EARLIER = 8

/**
 * Beside the world's own port those of the room's earlier worlds lead to it, because guests of other programs ask for the port
 * once and never again. No program that may have an earlier port now can be reached by it.
 */
export function createExposedPorts(extraPorts: readonly ExtraPort[]): HostedPorts {
  let room: readonly number[] = []
  let extra = extraPorts
  let world: number | undefined
  let earlier: readonly number[] = []

  function withoutWorld(): ExposedPorts {
    return {
      tcp: [...room, ...extra.flatMap(({ tcp }) => tcp ?? [])],
      udp: extra.flatMap(({ udp }) => udp ?? []),
    }
  }

  return {
    openRoom(port) {
      room = [port]
    },
    changeWorld(next) {
      if (world !== undefined) earlier = [world, ...earlier.filter((port) => port !== world)]
      world = next
      earlier = earlier.filter((port) => port !== next).slice(0, MAX_EARLIER)
    },
    shareOnly(ports) {
      extra = ports
    },
    extra: () => extra,
    all() {
      const { tcp, udp } = withoutWorld()
      const leading = world === undefined ? [] : [world, ...earlier]
      return { tcp: [...tcp, ...leading], udp: [...udp, ...leading] }
    },
    withoutWorld,
  }
}
