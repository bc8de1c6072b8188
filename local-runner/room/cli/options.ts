import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printable } from '../../cli/printable'
import { type CommandName, isCommandName, OWN_FLAGS, SETTING_FLAGS, type SettingFlags } from './flags'

/** Settings that were given as flags: environment variables, and the flag of each for what is said about it. */
export type GivenSettings = {
  readonly env: Readonly<Record<string, string>>
  readonly flagOf: ReadonlyMap<string, string>
}

export type ServeCommand = {
  readonly kind: 'serve'
  readonly settings: GivenSettings
  /** Absolute. */
  readonly portFile: string | undefined
  readonly parentPid: number | undefined
  readonly exitsWithStdin: boolean
}
export type HostCommand = {
  readonly kind: 'host'
  readonly settings: GivenSettings
  readonly name: string | undefined
  readonly gamePort: number | undefined
  /** As it was typed. */
  readonly room: string | undefined
  readonly waitsForGame: boolean
  readonly json: boolean
}
export type JoinCommand = {
  readonly kind: 'join'
  readonly settings: GivenSettings
  readonly name: string | undefined
  /** As it was typed. */
  readonly code: string
  readonly json: boolean
}
export type DoctorCommand = {
  readonly kind: 'doctor'
  readonly settings: GivenSettings
  readonly json: boolean
}
export type RelayCommand = { readonly kind: 'relay'; readonly settings: GivenSettings }

export type Command =
  | { readonly kind: 'help'; readonly about: CommandName | undefined }
  | { readonly kind: 'version' }
  | ServeCommand
  | HostCommand
  | JoinCommand
  | DoctorCommand
  | RelayCommand

/** The command was typed wrong; the message is one sentence about it. */
export class UsageError extends Error {
  /** The command that it is about, when there is one. */
  readonly command: CommandName | undefined

  constructor(message: string, command?: CommandName) {
    super(message)
    this.command = command
  }
}

/**
 * @param args what was typed behind the program's name
 * @param folder relative paths begin here
 * @throws UsageError
 */
export function parseCommand(args: readonly string[], folder: string): Command {
  const [word, ...rest] = args
  if (word === undefined) throw new UsageError('Say what to do: serve, host, join, relay or doctor.')
  if (word === 'help') return { kind: 'help', about: rest[0] && isCommandName(rest[0]) ? rest[0] : undefined }
  if (['--help', '-h'].includes(word)) return { kind: 'help', about: undefined }
  if (['--version', '-V'].includes(word)) return { kind: 'version' }
  if (!isCommandName(word)) {
    throw new UsageError(
      word.startsWith('-')
        ? `Name the command before its options: serve, host, join, relay or doctor (${printable(word)} came first).`
        : `There is no command "${printable(word)}": serve, host, join, relay and doctor are there.`,
    )
  }
  const typed = readArguments(word, rest)
  if (typed.flags.has('help')) return { kind: 'help', about: word }
  if (typed.flags.has('version')) return { kind: 'version' }
  return COMMANDS[word](typed, folder)
}

type Typed = {
  readonly command: CommandName
  readonly flags: ReadonlyMap<string, string>
  readonly words: readonly string[]
}

const COMMANDS: Readonly<Record<CommandName, (typed: Typed, folder: string) => Command>> = {
  serve(typed, folder) {
    noWords(typed)
    const file = typed.flags.get('port-file')
    return {
      kind: 'serve',
      settings: settingsOf(typed, folder),
      portFile: file === undefined ? undefined : resolve(folder, file),
      parentPid: wholeNumber(typed, 'parent-pid', 2 ** 31 - 1),
      exitsWithStdin: typed.flags.has('exit-with-stdin'),
    }
  },
  host(typed, folder) {
    noWords(typed)
    const { flags } = typed
    return {
      kind: 'host',
      settings: settingsOf(typed, folder),
      name: flags.get('name'),
      gamePort: wholeNumber(typed, 'game-port', 65_535),
      room: flags.get('room'),
      waitsForGame: !flags.has('no-wait'),
      json: flags.has('json'),
    }
  },
  join(typed, folder) {
    const { flags, words } = typed
    if (words.length === 0) throw new UsageError('Name the room code that your friend sent you.', 'join')
    // A pasted sentence may come without quotes; the code is found in it.
    const code = words.join(' ')
    return {
      kind: 'join',
      settings: settingsOf(typed, folder),
      name: flags.get('name'),
      code,
      json: flags.has('json'),
    }
  },
  doctor(typed, folder) {
    noWords(typed)
    return { kind: 'doctor', settings: settingsOf(typed, folder), json: typed.flags.has('json') }
  },
  relay(typed, folder) {
    noWords(typed)
    return { kind: 'relay', settings: settingsOf(typed, folder) }
  },
}

/** Not `strict`: its messages have several lines, and refuse a negative number for its dash. */
function readArguments(command: CommandName, args: readonly string[]): Typed {
  const settings: SettingFlags = SETTING_FLAGS[command]
  const own = OWN_FLAGS[command]
  const takesValue = (name: string) =>
    Object.hasOwn(settings, name) ? settings[name]?.means === undefined : own[name] === 'value'
  const switches = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'V' },
  } as const
  const names = [...Object.keys(settings), ...Object.keys(own)]
  const options = Object.fromEntries(
    names.map((name) => [name, { type: takesValue(name) ? 'string' : 'boolean' } as const]),
  )
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, ...switches },
    strict: false,
    tokens: true,
    allowPositionals: true,
  })
  const flags = new Map<string, string>()
  const words: string[] = []
  for (const token of tokens ?? []) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!names.includes(name) && !Object.hasOwn(switches, name)) throw unknownFlag(command, name, rawName)
    if (takesValue(name)) {
      // `--name --json` forgot the name.
      const isMissing = value === undefined || (!token.inlineValue && /^--./.test(value))
      const isEmpty = value === '' && !settings[name]?.mayBeEmpty
      if (isMissing || isEmpty) throw new UsageError(`${printable(rawName)} needs a value.`, command)
    } else if (value !== undefined) throw new UsageError(`${printable(rawName)} takes no value.`, command)
    flags.set(name, value ?? '')
  }
  return { command, flags, words }
}

function unknownFlag(command: CommandName, name: string, rawName: string): UsageError {
  if (name === 'token') {
    const why = 'a command line can be read by every user of this machine'
    return new UsageError(`Give the token as ROOM_API_TOKEN in the environment: ${why}.`, command)
  }
  return new UsageError(`room ${command} has no option ${printable(rawName)}.`, command)
}

function noWords({ command, words: [word] }: Typed): void {
  if (word !== undefined) {
    throw new UsageError(`room ${command} takes options only; what is "${printable(word)}"?`, command)
  }
}

function settingsOf({ command, flags }: Typed, folder: string): GivenSettings {
  const given: SettingFlags = SETTING_FLAGS[command]
  const env: Record<string, string> = {}
  const flagOf = new Map<string, string>()
  for (const [name, typed] of flags) {
    const flag = Object.hasOwn(given, name) ? given[name] : undefined
    if (!flag) continue
    env[flag.variable] = flag.means ?? (flag.isPath ? resolve(folder, typed) : typed)
    flagOf.set(flag.variable, `--${name}`)
  }
  return { env, flagOf }
}

function wholeNumber({ command, flags }: Typed, name: string, max: number): number | undefined {
  const text = flags.get(name)
  if (text === undefined) return undefined
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= max) return value
  throw new UsageError(
    `--${name} must be a whole number from 1 to ${max}, not "${printable(text)}".`,
    command,
  )
}
