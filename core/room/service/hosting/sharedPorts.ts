import { createEmitter, onAbort } from '@lantern-room/base/async'
import { type KnownWorld, World, type WorldDependencies } from '@lantern-room/game'
import type { ExtraPort } from '@lantern-room/protocol'
import type { HostConnection } from '../../roomNetwork'
import { shownAtHost } from '../../shownPort'
import type { Attempt } from '../state/attempt'
import { type Notice, worldLost } from '../state/notices'
import { createExposedPorts } from '../world/exposedPorts'
import type { LanGames } from '../world/lanGames'
import type { PortGuard } from '../world/portGuard'
import { createHostNotices, hostNotice } from './hostNotices'
import type { HostRequest } from './hostRequest'

export type SharedPortsDependencies = WorldDependencies & {
  readonly portGuard: PortGuard
  /** Whether worlds of the LAN can be heard. */
  readonly lanPort: LanGames['port']
  /** Called with the world that is shared, and with it again when it is gone; and with the port that the player has chosen. */
  readonly onWorld: (world: KnownWorld, gamePort: number | undefined) => void
}

export type SharedPorts = ReturnType<typeof createSharedPorts>

/** The ports of this machine that a hosted room leads to (the world and the extra ports), and the notices about them. */
export function createSharedPorts(
  dependencies: SharedPortsDependencies,
  attempt: Attempt,
  request: HostRequest,
) {
  /** What tells the player of this host what to do. */
  const notices = createHostNotices((notice) => attempt.update({ notice }))
  const exposed = createExposedPorts(request.extraPorts, dependencies)
  const world = new World(dependencies, { port: request.gamePort, awaited: request.world })
  const changes = createEmitter<void>()
  let connection: HostConnection | undefined
  /** Before the network is open: what the room waits for. */
  const worldNotice = (): Notice | null =>
    hostNotice({
      world,
      ports: exposed,
      isOpen: connection !== undefined,
      isHeard: !dependencies.lanPort.isHeld(),
      awaited: request.world,
    })
  const showWorldNotice = () => notices.set('world', worldNotice())
  const showExtra = () => attempt.update({ ports: shownAtHost(exposed.extra()) })
  world.onOffered(showWorldNotice)
  onAbort(attempt.signal, dependencies.lanPort.onChange(showWorldNotice))
  onAbort(
    attempt.signal,
    dependencies.portGuard.onKnown(() => {
      showExtra()
      showWorldNotice()
      connection?.setExposed(exposed.all())
      changes.emit()
    }),
  )
  world.onPort(({ port, world: changed }) => {
    exposed.changeWorld(port)
    attempt.update({ gamePort: port ?? 0, worldName: changed.name ?? null })
    notices.set('world', port === undefined ? worldLost(changed) : worldNotice())
    if (!attempt.isOver()) dependencies.onWorld(changed, world.chosen())
    // Closes what leads to the world before, also where its port stays exposed.
    connection?.setExposed(exposed.withoutWorld())
    connection?.setExposed(exposed.all())
    changes.emit()
  })

  return {
    world,
    exposed,
    notices,
    changes,
    /** Replaces the extra ports; connections to those that are no longer shared are closed. */
    shareOnly(ports: readonly ExtraPort[]): void {
      exposed.shareOnly(ports)
      showExtra()
      connection?.setExposed(exposed.all())
    },
    showExtra,
    connect(opened: HostConnection): void {
      connection = opened
      // The world may have changed while the network was being opened.
      connection.setExposed(exposed.all())
      showWorldNotice()
    },
    worldNotice,
  }
}
