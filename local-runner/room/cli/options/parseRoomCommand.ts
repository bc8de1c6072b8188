import { readRoomCode } from '@lantern-room/protocol'
import { readInvitation } from '@lantern-room/protocol/invitation'
import { readArguments, shortened, UsageError } from '../../../commandLine/readArguments'
import { type Command, isLink, readCommand, type Typed } from './command'
import { allOptions, COMMAND_NAMES, type CommandName, isCommandName } from './commandOptions'

export type RoomCommand =
  | { readonly kind: 'help'; readonly about: CommandName | undefined }
  | { readonly kind: 'version'; readonly json: boolean }
  | Command<CommandName>

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
  // What the system starts for a link: nothing is joined unasked.
  if (isLink(word) && args.length === 1) return parseRoomCommand(['open', word], folder)
  if (!isCommandName(word)) {
    if (isForJoin(args)) return parseRoomCommand(['join', ...args], folder)
    throw noCommand(word)
  }
  const typed = readTyped(word, word === 'join' ? rest.map((one) => one.replace(HYPHEN, '')) : rest)
  if (typed.given.has('help')) return { kind: 'help', about: word }
  if (typed.given.has('version')) return { kind: 'version', json: typed.given.has('json') }
  return readCommand(typed, folder)
}

/** Whether a code or an invitation was typed without the command, also one that is wrong. */
function isForJoin(args: readonly string[]): boolean {
  const text = args.join(' ')
  return (
    /^[UL][/\\]/i.test(text) || readRoomCode(text).code !== undefined || readInvitation(text) !== undefined
  )
}

/** What is typed while a room runs, and where. */
const LINES: ReadonlyMap<string, readonly [command: CommandName, line: string]> = new Map([
  ['kick', ['host', 'kick NAME']],
  ['y', ['host', 'y or y NAME']],
  ['yes', ['host', 'y or y NAME']],
  ['n', ['host', 'n or n NAME']],
  ['no', ['host', 'n or n NAME']],
  ['keep', ['join', 'keep PORT']],
])

function noCommand(word: string): UsageError {
  const typed = LINES.get(word)
  if (typed) {
    const [command, line] = typed
    return new UsageError(
      `${word} is typed into the window where room ${command} runs: ${line} and Enter.`,
      command,
    )
  }
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

function readTyped(command: CommandName, args: readonly string[]): Typed {
  const { given, words } = readArguments(args, allOptions(command), {
    command,
    unknownOption: (rawName, name) =>
      name === 'token' ? TOKEN_OPTION : `room ${command} has no option ${shortened(rawName)}.`,
  })
  return { command, given, words }
}

const TOKEN_OPTION =
  'Give the token as ROOM_API_TOKEN in the environment: a command line can be read by every user of this machine.'
