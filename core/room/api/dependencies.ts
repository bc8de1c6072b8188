import type { z } from '@hono/zod-openapi'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import type { RoomConfig } from '../config'
import type { RoomService } from '../service/roomService'
import type { RoomState } from '../service/roomState'
import type { Settings } from '../service/settings'
import type { gameServers, gameStatus, metaRecord, networkServers } from './schemas'

/** What the HTTP side of the room service stands on. */
export type RoomAppDependencies = {
  readonly service: RoomService
  readonly roomState: RoomState
  readonly games: {
    servers(): z.infer<typeof gameServers>
    status(): z.infer<typeof gameStatus>
  }
  readonly settings: Settings
  readonly config: RoomConfig
  readonly meta: Omit<z.infer<typeof metaRecord>, 'overlayPort'>
  readonly machineId: string
  /** The room port in use while hosting, else the configured one. */
  readonly roomPort: () => number
  /** Health of the shared nodes; asked at most once a minute behind this. */
  readonly nodeHealth: () => Promise<z.infer<typeof networkServers>['servers']>
  /** The last lines of the log, without secrets. */
  readonly logText: () => string
  /** Ends the program, after the answer. */
  readonly shutDown: () => void
  readonly clock: Clock
  readonly log: Log
}
