import { resolve } from 'node:path'
import { type Invitation, modListOf } from '@lantern-room/protocol/invitation'
import { KEPT_NUMBERS } from '@lantern-room/room'
import { type Arguments, optionValue, shortened, UsageError } from '../../../commandLine/readArguments'
import { allOptions, type CommandName } from './commandOptions'
import { readKeptPort } from './keptPort'
import { sharedPorts } from './sharedPorts'

/** A command with its arguments as they were typed. */
export type Typed = Arguments<string> & { readonly command: CommandName }

/** Settings given as options: environment variables, and the option of each, for error messages. */
export type GivenSettings = Readonly<ReturnType<typeof settingsOf>>

/** Details of the local game given by the player. */
export type GameChoice = Pick<Invitation, 'gameVersion' | 'mods'> & {
  /** Read in place of `mods`. */
  readonly modsFolder: string | undefined
}

export const NO_CODE = 'Name the room code that your friend sent you.'

/** What each command is told beside its settings, from its options; paths become absolute. Each may throw a UsageError. */
const COMMANDS = {
  serve(typed: Typed, folder: string) {
    return {
      portFile: fileOf(typed, 'port-file', folder),
      /** A port file in the form that HMCL reads. */
      hmclFile: fileOf(typed, 'hmcl', folder),
      parentPid: wholeNumber(typed, 'parent-pid', 2 ** 31 - 1),
      exitsWithStdin: typed.given.has('exit-with-stdin'),
      /** It takes the place of the service that runs with the same data folder. */
      replaces: typed.given.has('replace'),
    }
  },
  open(typed: Typed) {
    const [invitation, ...others] = typed.words
    noWords({ ...typed, words: invitation === undefined || isLink(invitation) ? others : typed.words })
    return {
      /** A link of an invitation, which the page fills in. */
      invitation,
      opensBrowser: !typed.given.has('no-browser'),
    }
  },
  host(typed: Typed, folder: string) {
    const { given } = typed
    return {
      name: given.get('name'),
      gamePort: wholeNumber(typed, 'game-port', 65_535),
      /** As typed. */
      room: given.get('room'),
      waitsForGame: !given.has('no-wait'),
      /** After a crash, the same command opens the same room. */
      resumes: given.has('resume'),
      isPrivate: given.has('private'),
      ports: sharedPorts(given.get('share')),
      game: gameOf(typed, folder),
      showsLink: given.has('link'),
      json: given.has('json'),
    }
  },
  join(typed: Typed, folder: string) {
    const { given, words } = typed
    const resumes = given.has('resume')
    if (words.length === 0 && !resumes) throw new UsageError(NO_CODE, 'join')
    // A pasted sentence may come without quotes; the code is searched in it.
    const code = words.join(' ')
    return {
      name: given.get('name'),
      /** Empty only with `resumes`. */
      code,
      waits: given.has('wait'),
      keepPorts: keepPortsOf(given.get('keep-ports')),
      localPort: localPortOf(given.get('local-port')),
      resumes,
      /** A private room may have another host than at an earlier join. */
      acceptsNewHost: given.has('accept-new-host'),
      game: gameOf(typed, folder),
      json: given.has('json'),
    }
  },
  doctor: ({ given }: Typed) => ({
    /** Every finding is listed. */
    isFull: given.has('all'),
    json: given.has('json'),
  }),
  report(typed: Typed, folder: string) {
    const path = typed.given.get('output') ?? 'room-report.json'
    return {
      /** Undefined for standard output. */
      output: path === '-' ? undefined : resolve(folder, path),
    }
  },
  relay: () => ({}),
} satisfies Readonly<Record<CommandName, (typed: Typed, folder: string) => object>>

export type Command<Name extends CommandName> = {
  [Kind in Name]: ReturnType<(typeof COMMANDS)[Kind]> & {
    readonly kind: Kind
    readonly settings: GivenSettings
  }
}[Name]

/** @throws UsageError */
export function readCommand(typed: Typed, folder: string): Command<CommandName> {
  const { command: kind } = typed
  if (kind !== 'open' && kind !== 'join') noWords(typed)
  const told = COMMANDS[kind](typed, folder)
  return { kind, settings: settingsOf(typed, folder), ...told } as Command<CommandName>
}

/** Whether it is a link of this program's own kind, which a browser may have handed over. */
export function isLink(word: string): boolean {
  return /^lantern-room:/i.test(word)
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

function keepPortsOf(text: string | undefined): readonly number[] {
  const words = text?.split(',').map((word) => word.trim()) ?? []
  const wrong = words.find((word) => readKeptPort(word) === undefined)
  if (wrong !== undefined) {
    throw new UsageError(
      `--keep-ports: each ${KEPT_NUMBERS.ruleOfEach}; "${shortened(wrong)}" cannot be used.`,
      'join',
    )
  }
  if (words.length > KEPT_NUMBERS.max)
    throw new UsageError(`--keep-ports ${KEPT_NUMBERS.ruleOfList}.`, 'join')
  return words.map(Number)
}

function localPortOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = readKeptPort(text)
  if (port !== undefined) return port
  throw new UsageError(
    `--local-port ${KEPT_NUMBERS.ruleOfEach}; "${shortened(text)}" cannot be used.`,
    'join',
  )
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

function settingsOf({ command, given }: Typed, folder: string) {
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
  const parse = (text: string) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0
    return value >= 1 && value <= max ? value : undefined
  }
  return optionValue(given, name, parse, `a whole number from 1 to ${max}`, command)
}
