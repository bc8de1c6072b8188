import { resolve } from 'node:path'
import { modListOf, readInvitation } from '#core/room/invitation'
import { readRoomCode } from '#core/room/readRoomCode'
import {
  type Arguments,
  printable,
  readArguments,
  shortened,
  UsageError,
} from '../../../commandLine/readArguments'
import type { GameChoice, GivenSettings, RoomCommand } from './command'
import { allOptions, COMMAND_NAMES, type CommandName, isCommandName } from './commandOptions'
import { sharedPorts } from './sharedPorts'

/**
 * @param args what was typed after the program's name
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseRoomCommand(args: readonly string[], folder: string): RoomCommand {
  const [word, ...rest] = args
  if (word === undefined) throw new UsageError(`Say what to do: ${listed('or')}.`)
  if (word === 'help') return { kind: 'help', about: rest.slice(0, 1).find(isCommandName) }
  if (['--help', '-h'].includes(word)) return { kind: 'help', about: undefined }
  if (['--version', '-V'].includes(word)) return { kind: 'version', json: rest.includes('--json') }
  // Launchers start Terracotta so; this program in its place understands it.
  if (/^--hmcl(=|$)/.test(word)) return parseRoomCommand(['serve', ...args], folder)
  if (!isCommandName(word)) {
    if (isForJoin(args)) return parseRoomCommand(['join', ...args], folder)
    throw noCommand(word)
  }
  const typed = readTyped(word, word === 'join' ? rest.map((one) => one.replace(HYPHEN, '')) : rest)
  if (typed.given.has('help')) return { kind: 'help', about: word }
  if (typed.given.has('version')) return { kind: 'version', json: typed.given.has('json') }
  return COMMANDS[word](typed, folder)
}

/** Whether a code or an invitation was typed without the command, also one that is wrong. */
function isForJoin(args: readonly string[]): boolean {
  const text = args.join(' ')
  return (
    /^[UL][/\\]/i.test(text) || readRoomCode(text).code !== undefined || readInvitation(text) !== undefined
  )
}

function noCommand(word: string): UsageError {
  return new UsageError(
    word.startsWith('-')
      ? `Name the command before its options: ${listed('or')} (${shortened(word)} came first).`
      : `There is no command "${shortened(word)}": ${listed('and')} are there, or a room code.`,
  )
}

function listed(joint: string): string {
  return `${COMMAND_NAMES.slice(0, -1).join(', ')} ${joint} ${COMMAND_NAMES.at(-1)}`
}

/** A group of a code that was typed with spaces begins with a hyphen, as options do: -U61D. */
const HYPHEN = /^-(?=[0-9a-z]{4}(-|$))/i

type Typed = Arguments<string> & { readonly command: CommandName }

function readTyped(command: CommandName, args: readonly string[]): Typed {
  const { given, words } = readArguments(args, allOptions(command), {
    command,
    unknownOption: (rawName, name) =>
      name === 'token' ? TOKEN_OPTION : `room ${command} has no option ${shortened(rawName)}.`,
    refusesForgottenValues: true,
  })
  return { command, given, words }
}

const TOKEN_OPTION =
  'Give the token as ROOM_API_TOKEN in the environment: a command line can be read by every user of this machine.'

export const NO_CODE = 'Name the room code that your friend sent you.'

const COMMANDS: Readonly<Record<CommandName, (typed: Typed, folder: string) => RoomCommand>> = {
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
      game: gameOf(typed, folder),
      showsLink: given.has('link'),
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
      acceptsNewHost: given.has('accept-new-host'),
      game: gameOf(typed, folder),
      json: given.has('json'),
    }
  },
  doctor(typed, folder) {
    noWords(typed)
    const { given } = typed
    return {
      kind: 'doctor',
      settings: settingsOf(typed, folder),
      isFull: given.has('all'),
      json: given.has('json'),
    }
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

function gameOf(typed: Typed, folder: string): GameChoice {
  const { given } = typed
  const mods = given.get('mods')?.split(',')
  return {
    modsFolder: fileOf(typed, 'mods-folder', folder),
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
    throw new UsageError(`room ${command} takes options only; what is "${shortened(word)}"?`, command)
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
