import type { RoomCode } from '../roomCode'

/** What a host wants, everything filled in. */
export type HostRequest = {
  readonly room: RoomCode
  readonly playerName: string
  readonly vendor: string
  /** Where the room protocol listens; the next free port when it is taken. */
  readonly scaffoldingPort: number
  /** The world's port; undefined = the first world of this machine that announces itself. */
  readonly gamePort: number | undefined
  /** False opens the room before there is a world. */
  readonly waitForGame: boolean
  readonly isPrivate: boolean
}

/** What a guest wants. */
export type JoinRequest = {
  readonly room: RoomCode
  readonly playerName: string
  readonly vendor: string
}
