import { type OptionSpec, renderHelp } from '../../../commandLine/renderHelp'
import manual from './manual.json'

/** An option of a command; one with a `variable` stands for a setting of the environment. */
type RoomOption = OptionSpec & {
  readonly variable?: string
  /** The value that a switch gives the variable. */
  readonly means?: string
  /** A file or folder. */
  readonly isPath?: boolean
}

type RoomOptions = Readonly<Record<string, RoomOption>>

export type CommandName = keyof typeof manual.commands

/** In the order in which errors list them. */
export const COMMAND_NAMES = Object.keys(manual.commands) as CommandName[]

export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(manual.commands, word)
}

/** The options of a command in the groups and the order of its help; those of every command are left out. */
export function commandOptions(command: CommandName): readonly RoomOptions[] {
  const own = ownOptions(command)
  return command === 'relay' ? [own] : [own, manual.network]
}

/** The manual names an option that several commands have, and describes it once. */
function ownOptions(command: CommandName): RoomOptions {
  const own: Readonly<Record<string, RoomOption | string>> = manual.commands[command].options
  return Object.fromEntries(
    Object.entries(own).map(([name, option]) => [
      name,
      typeof option === 'string' ? manual.shared[option as keyof typeof manual.shared] : option,
    ]),
  )
}

/** All options of a command by their long names. */
export function allOptions(command: CommandName): RoomOptions {
  return Object.assign({}, ...commandOptions(command), manual.common)
}

/** The manual of a command, or of all of them; at most 80 columns wide. */
export function helpText(about: CommandName | undefined, version: string): string {
  const layout = { textColumn: 26, defaultColumn: 67, values: { version } }
  if (about === undefined) return renderHelp([manual.overview.join('\n')], layout)
  const { title, notes } = manual.commands[about]
  const parts = [title, ...commandOptions(about), notes.join('\n'), { help: manual.common.help }]
  return renderHelp(parts, layout)
}
