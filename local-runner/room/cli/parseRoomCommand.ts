import { resolve } from 'node:path'
import type { ExtraPort } from '#core/room/extraPorts'
import { type Invitation, modListOf } from '#core/room/invitation'
import { printable } from '../../commandLine/printable'
import { type Arguments, readArguments, UsageError } from '../../commandLine/readArguments'
import { allOptions, COMMAND_NAMES, type CommandName, isCommandName } from './commandOptions'
import { sharedPorts } from './sharedPorts'

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
/** What the player has told of the game here. */
export type Game = Pick<Invitation, 'gameVersion' | 'mods'>

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
  readonly game: Game
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
  readonly game: Game
  readonly json: boolean
}
export type DoctorCommand = {
  readonly kind: 'doctor'
  readonly settings: GivenSettings
  readonly json: boolean
}
export type ReportCommand = {
  readonly kind: 'report'
  readonly settings: GivenSettings
  /** Absolute; undefined for standard output. */
  readonly output: string | undefined
}
export type RelayCommand = { readonly kind: 'relay'; readonly settings: GivenSettings }

export type Command =
  | { readonly kind: 'help'; readonly about: CommandName | undefined }
  | { readonly kind: 'version'; readonly json: boolean }
  | ServeCommand
  | OpenCommand
  | HostCommand
  | JoinCommand
  | DoctorCommand
  | ReportCommand
  | RelayCommand

/**
 * @param args what was typed after the program's name
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseRoomCommand(args: readonly string[], folder: string): Command {
  const [word, ...rest] = args
  if (word === undefined) throw new UsageError(`Say what to do: ${listed('or')}.`)
  if (word === 'help') return { kind: 'help', about: rest.slice(0, 1).find(isCommandName) }
  if (['--help', '-h'].includes(word)) return { kind: 'help', about: undefined }
  if (['--version', '-V'].includes(word)) return { kind: 'version', json: rest.includes('--json') }
  // Launchers start Terracotta so; this program in its place understands it.
  if (/^--hmcl(=|$)/.test(word)) return parseRoomCommand(['serve', ...args], folder)
  if (!isCommandName(word)) throw noCommand(word)
  const typed = readTyped(word, rest)
  if (typed.given.has('help')) return { kind: 'help', about: word }
  if (typed.given.has('version')) return { kind: 'version', json: typed.given.has('json') }
  return COMMANDS[word](typed, folder)
}

function noCommand(word: string): UsageError {
  return new UsageError(
    word.startsWith('-')
      ? `Name the command before its options: ${listed('or')} (${printable(word)} came first).`
      : `There is no command "${printable(word)}": ${listed('and')} are there.`,
  )
}

function listed(joint: string): string {
  return `${COMMAND_NAMES.slice(0, -1).join(', ')} ${joint} ${COMMAND_NAMES.at(-1)}`
}

type Typed = Arguments<string> & { readonly command: CommandName }

function readTyped(command: CommandName, args: readonly string[]): Typed {
  const { given, words } = readArguments(args, allOptions(command), {
    command,
    unknownOption: (rawName, name) =>
      name === 'token' ? NO_TOKEN : `room ${command} has no option ${printable(rawName)}.`,
    refusesForgottenValues: true,
  })
  return { command, given, words }
}

const NO_TOKEN =
  'Give the token as ROOM_API_TOKEN in the environment: a command line can be read by every user of this machine.'

export const NO_CODE = 'Name the room code that your friend sent you.'

const COMMANDS: Readonly<Record<CommandName, (typed: Typed, folder: string) => Command>> = {
  serve(typed, folder) {
    noWords(typed)
    return {
      kind: 'serve',
      settings: settingsOf(typed, folder),
      portFile: fileOf(typed, 'port-file', folder),
      hmclFile: fileOf(typed, 'hmcl', folder),
      parentPid: wholeNumber(typed, 'parent-pid', 2 ** 31 - 1),
      exitsWithStdin: typed.given.has('exit-with-stdin'),
      replaces: typed.given.has('replace'),
    }
  },
  open(typed, folder) {
    noWords(typed)
    return {
      kind: 'open',
      settings: settingsOf(typed, folder),
      opensBrowser: !typed.given.has('no-browser'),
    }
  },
  host(typed, folder) {
    noWords(typed)
    const { given } = typed
    return {
      kind: 'host',
      settings: settingsOf(typed, folder),
      name: given.get('name'),
      gamePort: wholeNumber(typed, 'game-port', 65_535),
      room: given.get('room'),
      waitsForGame: !given.has('no-wait'),
      resumes: given.has('resume'),
      isPrivate: given.has('private'),
      ports: sharedPorts(given.get('share')),
      game: gameOf(typed),
      json: given.has('json'),
    }
  },
  join(typed, folder) {
    const { given, words } = typed
    const resumes = given.has('resume')
    if (words.length === 0 && !resumes) throw new UsageError(NO_CODE, 'join')
    // A pasted sentence may come without quotes; the code is searched in it.
    const code = words.join(' ')
    return {
      kind: 'join',
      settings: settingsOf(typed, folder),
      name: given.get('name'),
      code,
      waits: given.has('wait'),
      resumes,
      game: gameOf(typed),
      json: given.has('json'),
    }
  },
  doctor(typed, folder) {
    noWords(typed)
    return { kind: 'doctor', settings: settingsOf(typed, folder), json: typed.given.has('json') }
  },
  report(typed, folder) {
    noWords(typed)
    const path = typed.given.get('output') ?? 'room-report.json'
    return {
      kind: 'report',
      settings: settingsOf(typed, folder),
      output: path === '-' ? undefined : resolve(folder, path),
    }
  },
  relay(typed, folder) {
    noWords(typed)
    return { kind: 'relay', settings: settingsOf(typed, folder) }
  },
}

function gameOf({ given }: Typed): Game {
  const mods = given.get('mods')?.split(',')
  return {
    gameVersion: given.get('game-version'),
    mods: mods && modListOf(mods.filter((name) => name.trim() !== '')),
  }
}

function fileOf({ given }: Typed, name: string, folder: string): string | undefined {
  const path = given.get(name)
  return path === undefined ? undefined : resolve(folder, path)
}

function noWords({ command, words: [word] }: Typed): void {
  if (word !== undefined) {
    throw new UsageError(`room ${command} takes options only; what is "${printable(word)}"?`, command)
  }
}

function settingsOf({ command, given }: Typed, folder: string): GivenSettings {
  const options = allOptions(command)
  const env: Record<string, string> = {}
  const flagOf = new Map<string, string>()
  for (const [name, typed] of given) {
    const { variable, means, isPath } = options[name] ?? {}
    if (variable === undefined) continue
    env[variable] = means ?? (isPath ? resolve(folder, typed) : typed)
    flagOf.set(variable, `--${name}`)
  }
  return { env, flagOf }
}

function wholeNumber({ command, given }: Typed, name: string, max: number): number | undefined {
  const text = given.get(name)
  if (text === undefined) return undefined
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= max) return value
  throw new UsageError(
    `--${name} must be a whole number from 1 to ${max}, not "${printable(text)}".`,
    command,
  )
}
