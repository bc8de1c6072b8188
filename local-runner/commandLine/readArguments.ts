import { parseArgs } from 'node:util'
import { nearest } from '@lantern-room/base/fields'
import removed from './removed.json'
import type { OptionSpec } from './renderHelp'

export type Arguments<Name extends string> = {
  /** Values by the long names of their options; of a switch the empty text. The last one counts. */
  readonly given: ReadonlyMap<Name, string>
  /** Arguments that are not options, in order. */
  readonly words: readonly string[]
}

type ArgumentRules = {
  /** The command that errors are about. */
  readonly command?: string
  /** The sentence about an option that does not exist, given as it was typed and by its name. */
  readonly unknownOption?: (rawName: string, name: string) => string
}

/** @throws UsageError for an option that does not exist, lacks its value, or has one that it does not take */
export function readArguments<Name extends string>(
  args: readonly string[],
  table: Readonly<Record<Name, OptionSpec>>,
  rules: ArgumentRules = {},
): Arguments<Name> {
  const tokens = tokensOf(args, table)
  const given = new Map<Name, string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!isIn(table, name))
      throw new UsageError(sentenceAbout(rawName, name, Object.keys(table), rules), rules.command)
    const problem = problemOf(token, table[name])
    if (problem !== undefined) throw new UsageError(`${shortened(rawName)} ${problem}.`, rules.command)
    given.set(name, value ?? '')
  }
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  return { given, words }
}

function sentenceAbout(
  rawName: string,
  name: string,
  known: readonly string[],
  { command, unknownOption }: ArgumentRules,
): string {
  const key = command === undefined ? `--${name}` : `${command} --${name}`
  const instead = REMOVED.get(key)
  if (instead !== undefined) return `--${name} no longer exists: ${instead}.`
  const sentence =
    unknownOption?.(rawName, name) ??
    `${command === undefined ? 'There is no' : `${command} has no`} option ${shortened(rawName)}.`
  const meant = nearest(name, known)
  return meant === undefined ? sentence : `${sentence} Did you mean --${meant}?`
}

/** By `--option` or `command --option`: what to use instead. */
const REMOVED: ReadonlyMap<string, string> = new Map(Object.entries(removed.options))

/** @param command the first word that was typed @throws UsageError when a command of that name no longer exists */
export function refuseRemoved(command: string | undefined): void {
  const instead = new Map(Object.entries(removed.commands)).get(command ?? '')
  if (instead !== undefined) throw new UsageError(`${command} no longer exists: ${instead}.`)
}

/** Not `strict`: that mode's messages have several lines, and it refuses negative numbers for their dash. */
function tokensOf(args: readonly string[], table: Readonly<Record<string, OptionSpec>>) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { value, short }]) => {
      const type = value === undefined ? ('boolean' as const) : ('string' as const)
      return [name, short === undefined ? { type } : { type, short }]
    }),
  )
  return parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true }).tokens
}

function isIn<Name extends string>(table: Readonly<Record<Name, OptionSpec>>, name: string): name is Name {
  return Object.hasOwn(table, name)
}

type OptionToken = { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined }

function problemOf({ value, inlineValue }: OptionToken, spec: OptionSpec): string | undefined {
  if (spec.value === undefined) return value === undefined ? undefined : 'takes no value'
  if (value === undefined) return 'needs a value'
  const isEmpty = value === '' && !spec.mayBeEmpty
  // `--name --json` forgot the name.
  const isNextOption = !inlineValue && /^--./.test(value)
  return isEmpty || isNextOption ? 'needs a value' : undefined
}

/**
 * The value of an option, as `parse` reads it.
 * @param wanted what it must be, for the sentence about another
 * @returns undefined when the option was not given
 * @throws UsageError when `parse` knows no such value
 */
export function optionValue<Name extends string, Value>(
  given: { get(name: Name): string | undefined },
  option: Name,
  parse: (text: string) => Value | undefined,
  wanted: string,
  command?: string,
): Value | undefined {
  const text = given.get(option)
  const value = text === undefined ? undefined : parse(text)
  if (text === undefined || value !== undefined) return value
  throw new UsageError(`--${option} must be ${wanted}, not "${printable(text)}".`, command)
}

/** The command was typed wrong; the message is one sentence about it. */
export class UsageError extends Error {
  /** The command of the program that it is about, when there is one. */
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.command = command
  }
}

/**
 * A path or a name from outside, safe to show: control characters could rewrite the terminal, and others its direction or lines. Half of
 * a character, which Windows allows in names, is no text.
 */
export function printable(text: string): string {
  return text.replace(UNSHOWABLE, '?')
}

const UNSHOWABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u2060-\u2064\ufeff\ufff9-\ufffb]/gu

/** One line of JSON whose names are those of the files, and which a terminal may show. */
export function jsonLine(value: unknown): string {
  const line = JSON.stringify(value).replace(
    UNSHOWABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${line}\n`
}

/** A word as it was typed, for a sentence about it. */
export function shortened(word: string): string {
  return printable(word.length > MAX_SHOWN ? `${word.slice(0, MAX_SHOWN)}…` : word)
}

const MAX_SHOWN = 40
