import type { Language } from '@lantern-room/base'
import { type OptionSpec, renderHelp, wrapChinese } from '../../../commandLine/renderHelp'
import chinese from '../words/help.json'
import { inLanguage } from '../words/sentences'
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
export function helpText(about: CommandName | undefined, version: string, language: Language): string {
  const layout = { textColumn: TEXT_COLUMN, defaultColumn: 67, values: { version } }
  if (about === undefined) {
    const { overview } = language === 'en' ? manual : chinese
    return renderHelp([overview.join('\n')], layout)
  }
  const { title, notes } = manual.commands[about]
  const parts = [title, ...commandOptions(about), notes.join('\n'), { help: manual.common.help }]
  return renderHelp(language === 'en' ? parts : parts.map(inChinese), layout)
}

const TEXT_COLUMN = 26
const WIDTH = 80

function inChinese(part: string | RoomOptions): string | RoomOptions {
  if (typeof part === 'string') return lines([part.replaceAll('\n', ' ')], WIDTH).join('\n')
  return Object.fromEntries(Object.entries(part).map(([name, option]) => [name, optionInChinese(option)]))
}

function optionInChinese(option: RoomOption): RoomOption {
  const help = lines(option.help, WIDTH - TEXT_COLUMN)
  return option.default === undefined
    ? { ...option, help }
    : { ...option, help, default: inLanguage('zh-CN', option.default) }
}

/** @param english lines of one text */
function lines(english: readonly string[], columns: number): readonly string[] {
  return wrapChinese(inLanguage('zh-CN', english.join(' ')), columns)
}
