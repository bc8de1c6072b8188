import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { WebPage } from '@lantern-room/base/http'
import type { OwnPorts } from '@lantern-room/base/network'
import type { VoicePorts } from '@lantern-room/game'
import type {
  LanAnnouncer,
  LanListener,
  ListMods,
  LocalNet,
  MachineWorlds,
  ProbeGame,
} from '@lantern-room/game/ports'
import type { DoctorDependencies } from './doctor/diagnosis'
import type { ProbeNode, TextStore } from './ports'
import type { RoomNetwork } from './roomNetwork'
import type { KeptNodes } from './service/kept/keptNodes'

/** The player whom this program stands for. */
export type PlayerIdentity = {
  /** The lasting one, which no other player sees. */
  readonly machineId: string
  readonly secret: Uint8Array
  /** Of this program, 16 random bytes; drawn where none are given. */
  readonly run?: Uint8Array
  /** The run of the program that has this identity now, on this machine, if any. */
  readonly claimedRun?: () => Promise<Uint8Array | undefined>
  /** Where the data folder is: what its programs have left counts for less in a copy. */
  readonly place?: string
}

/** Adapters of the machine, and what the host process decides. */
export type RoomApiDependencies = {
  readonly roomNetwork: RoomNetwork
  readonly lanListeners: readonly LanListener[]
  /** Finds worlds of this machine that are not announced. */
  readonly machineWorlds: MachineWorlds
  readonly lanAnnouncer: LanAnnouncer
  readonly localNet: LocalNet
  /** The ports on which this program listens. */
  readonly ownPorts: OwnPorts
  readonly probeGame: ProbeGame
  /** The ports that voice mods of this machine are set to. @default their usual one */
  readonly voicePorts?: VoicePorts
  readonly listMods: ListMods
  /** Under which name this user last played the game; undefined where that is not known. @default it is never known */
  readonly gameName?: (() => Promise<string | undefined>) | undefined
  readonly probeNode: ProbeNode
  /** Receives log entries in addition to the feed. */
  readonly log: Log
  readonly identity: PlayerIdentity
  readonly platform: {
    readonly targetTuple: string
    readonly targetArch: string
    readonly targetVendor: string
    readonly targetOS: string
    readonly targetEnv: string
  }
  /** The page at `GET /`. */
  readonly page: WebPage
  /** Where the room is kept that comes back after a restart. */
  readonly keptRoom: TextStore
  /** The nodes that a client has set in an earlier run, and where those of this one are kept. @default none are kept */
  readonly keptNodes?: { readonly initial: readonly string[] | undefined } & Pick<KeptNodes, 'keep'>
  /** Where the rooms are kept that were open or joined. */
  readonly savedRooms: TextStore
  /** Where the keys of private rooms' hosts are kept. */
  readonly knownHosts: TextStore
  /** Where the local ports of rooms are kept. */
  readonly localPorts: TextStore
  /** Ends the program once the response is sent. */
  readonly shutDown: () => void
  /** The checks of `GET /doctor`; ports and nodes are this program's own. */
  readonly checks: Omit<DoctorDependencies, 'ports' | 'nodes'>
  /** The log on disk; undefined where there is none. */
  readonly logOnDisk: (() => string) | undefined
  /** The user's own folder, which reports do not show. */
  readonly home: string | undefined
  readonly clock: Clock
  /** Aborts when the program stops. */
  readonly stopping: AbortSignal
}
