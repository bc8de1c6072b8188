import type { ExtraPort } from '#core/room/extraPorts'
import type { Invitation } from '#core/room/invitation'
import type { CommandName } from './commandOptions'

/** Settings given as options: environment variables, and the option of each, for error messages. */
export type GivenSettings = {
  readonly env: Readonly<Record<string, string>>
  readonly flagOf: ReadonlyMap<string, string>
}

export type ServeCommand = {
  readonly kind: 'serve'
  readonly settings: GivenSettings
  /** Absolute. */
  readonly portFile: string | undefined
  /** Absolute; a port file in the form that HMCL reads. */
  readonly hmclFile: string | undefined
  readonly parentPid: number | undefined
  readonly exitsWithStdin: boolean
  /** Whether it takes the place of the service that runs with the same data folder. */
  readonly replaces: boolean
}

export type OpenCommand = {
  readonly kind: 'open'
  readonly settings: GivenSettings
  readonly opensBrowser: boolean
}

/** Details of the local game given by the player. */
export type GameChoice = Pick<Invitation, 'gameVersion' | 'mods'> & {
  /** Absolute; read in place of `mods`. */
  readonly modsFolder: string | undefined
}

export type HostCommand = {
  readonly kind: 'host'
  readonly settings: GivenSettings
  readonly name: string | undefined
  readonly gamePort: number | undefined
  /** As typed. */
  readonly room: string | undefined
  readonly waitsForGame: boolean
  /** Whether a crash is followed by the same room, when the command is typed again. */
  readonly resumes: boolean
  /** Whether `--private` was typed. */
  readonly isPrivate: boolean
  readonly ports: readonly ExtraPort[]
  readonly game: GameChoice
  /** Whether the link of the invitation and its QR code are shown. */
  readonly showsLink: boolean
  readonly json: boolean
}

export type JoinCommand = {
  readonly kind: 'join'
  readonly settings: GivenSettings
  readonly name: string | undefined
  /** As typed; empty only with `resumes`. */
  readonly code: string
  readonly waits: boolean
  readonly resumes: boolean
  /** Whether a private room may have another host than at an earlier join. */
  readonly acceptsNewHost: boolean
  readonly game: GameChoice
  readonly json: boolean
}

export type DoctorCommand = {
  readonly kind: 'doctor'
  readonly settings: GivenSettings
  /** Whether every finding is listed. */
  readonly isFull: boolean
  readonly json: boolean
}

export type ReportCommand = {
  readonly kind: 'report'
  readonly settings: GivenSettings
  /** Absolute; undefined for standard output. */
  readonly output: string | undefined
}

export type RelayCommand = { readonly kind: 'relay'; readonly settings: GivenSettings }

export type RoomCommand =
  | { readonly kind: 'help'; readonly about: CommandName | undefined }
  | { readonly kind: 'version'; readonly json: boolean }
  | ServeCommand
  | OpenCommand
  | HostCommand
  | JoinCommand
  | DoctorCommand
  | ReportCommand
  | RelayCommand
