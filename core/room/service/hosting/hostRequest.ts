import type { KnownWorld } from '@lantern-room/game'
import type { ExtraPort, RoomCode } from '@lantern-room/protocol'
import type { AdmissionPolicy, KeptDecisions } from '@lantern-room/protocol/server'
import type { NetworkChoice } from '../../roomNetwork'
import type { KeptRoom } from '../kept/roomKeeper'

/** A request to host, with all defaults filled in. */
export type HostRequest = NetworkChoice & {
  readonly room: RoomCode
  readonly playerName: string
  readonly vendor: string
  /** Where the room protocol listens; the next free port when it is taken. */
  readonly scaffoldingPort: number
  /** The world's port; undefined = the first world of this machine that is announced and answers. */
  readonly gamePort: number | undefined
  /** False opens the room before there is a world. */
  readonly waitForGame: boolean
  readonly admission: AdmissionPolicy
  /** Shared nodes beside the configured ones. */
  readonly nodes: readonly string[]
  /** Ports of this machine that the room's members may reach, beside the world's. */
  readonly extraPorts: readonly ExtraPort[]
  /** The request to keep for a restart of the program; undefined = none. */
  readonly kept?: KeptRoom | undefined
  /** The world of the run before, which alone is shared again unasked. */
  readonly world?: KnownWorld | undefined
  /** The host's decisions about players in the previous run. */
  readonly decisions?: KeptDecisions | undefined
}
