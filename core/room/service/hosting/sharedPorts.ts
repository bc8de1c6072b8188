import { createEmitter } from '#core/async/emitter'
import { type ExtraPort, shownAtHost } from '../../extraPorts'
import type { HostConnection } from '../../roomNetwork'
import type { Attempt } from '../state/attempt'
import { type Notice, worldLost } from '../state/notices'
import { createExposedPorts, type HostedPorts } from '../world/exposedPorts'
import type { PortGuard } from '../world/portGuard'
import { World, type WorldDependencies } from '../world/world'
import type { KnownWorld } from '../world/worldChoice'
import { createHostNotices, type HostNotices, hostNotice } from './hostNotices'
import type { HostRequest } from './hostRequest'

export type SharedPortsDependencies = WorldDependencies & {
  readonly portGuard: PortGuard
  /** Called with the world that is shared, and with it again when it is gone. */
  readonly onWorld: (world: KnownWorld) => void
}

/** The ports of this machine that a hosted room leads to (the world and the extra ports), and the notices about them. */
export class SharedPorts {
  readonly world: World
  readonly exposed: HostedPorts
  /** What tells the player of this host what to do. */
  readonly notices: HostNotices
  readonly changes = createEmitter<void>()
  readonly #attempt: Attempt
  readonly #request: HostRequest
  #connection: HostConnection | undefined

  constructor(dependencies: SharedPortsDependencies, attempt: Attempt, request: HostRequest) {
    this.#attempt = attempt
    this.#request = request
    this.notices = createHostNotices((notice) => attempt.update({ notice }))
    this.exposed = createExposedPorts(request.extraPorts, dependencies)
    this.world = new World(dependencies, { port: request.gamePort, awaited: request.world })
    this.world.onOffered(() => this.#showWorldNotice())
    this.world.onPort(({ port, world }) => {
      this.#changeWorld(port, world)
      dependencies.onWorld(world)
      this.#replaceWorld()
    })
  }

  /** Replaces the extra ports; connections to those that are no longer shared are closed. */
  shareOnly(ports: readonly ExtraPort[]): void {
    this.exposed.shareOnly(ports)
    this.showExtra()
    this.#connection?.setExposed(this.exposed.all())
  }

  showExtra(): void {
    this.#attempt.update({ ports: shownAtHost(this.exposed.extra()) })
  }

  connect(connection: HostConnection): void {
    this.#connection = connection
    // The world may have changed while the network was being opened.
    connection.setExposed(this.exposed.all())
    this.#showWorldNotice()
  }

  /** Before the network is open: what the room waits for. */
  worldNotice(): Notice | null {
    return hostNotice(this.world, this.exposed, this.#connection !== undefined, this.#request.world)
  }

  #showWorldNotice(): void {
    this.notices.set('world', this.worldNotice())
  }

  #changeWorld(port: number | undefined, world: KnownWorld): void {
    this.exposed.changeWorld(port)
    this.#attempt.update({ gamePort: port ?? 0, worldName: world.name ?? null })
    this.notices.set('world', port === undefined ? worldLost(world) : this.worldNotice())
  }

  #replaceWorld(): void {
    // Closes what leads to the world before, also where its port stays exposed.
    this.#connection?.setExposed(this.exposed.withoutWorld())
    this.#connection?.setExposed(this.exposed.all())
    this.changes.emit()
  }
}
