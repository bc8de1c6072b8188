import { join, parse, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { MOTION_PHOTO_PROFILES, type MotionPhotoProfile } from '#core/media/motionPhoto/profile'
import { printable } from './printable'
import { parseTime } from './time'

export type Options = {
  /** Absolute; undefined = standard input. */
  readonly input: string | undefined
  /** Absolute. */
  readonly output: string
  /** Seconds, as are the next two. */
  readonly start: number
  readonly end: number | undefined
  readonly cover: number | undefined
  readonly speed: number
  readonly profile: MotionPhotoProfile
  readonly mute: boolean
  readonly force: boolean
  readonly json: boolean
  readonly quiet: boolean
}

export type Command =
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'make'; readonly options: Options }

/** The command was typed wrong; the message is one sentence about it. */
export class UsageError extends Error {}

const OPTIONS = {
  start: { type: 'string' },
  end: { type: 'string' },
  cover: { type: 'string' },
  speed: { type: 'string' },
  profile: { type: 'string' },
  mute: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', short: 'f' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

type OptionName = keyof typeof OPTIONS

/**
 * @param folder relative paths begin here
 * @throws UsageError
 */
export function parseCommand(args: readonly string[], folder: string): Command {
  const { given, names } = readArguments(args)
  if (given.has('help')) return { kind: 'help' }
  if (given.has('version')) return { kind: 'version' }
  const clip = {
    start: timeOf(given, 'start') ?? 0,
    end: timeOf(given, 'end'),
    cover: timeOf(given, 'cover'),
    speed: speedOf(given.get('speed')),
    profile: profileOf(given.get('profile')),
    mute: given.has('mute'),
  }
  // Last: an option whose value was forgotten has taken its neighbour's.
  const input = inputPath(names, folder)
  const options: Options = {
    input,
    output: outputPath(given.get('output'), input, folder),
    ...clip,
    force: given.has('force'),
    json: given.has('json'),
    quiet: given.has('quiet'),
  }
  return { kind: 'make', options }
}

/** Not `strict`: its messages have several lines, and refuse a negative number for its dash. */
function readArguments(args: readonly string[]): { given: Map<OptionName, string>; names: string[] } {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    tokens: true,
    allowPositionals: true,
  })
  const given = new Map<OptionName, string>()
  const names: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') names.push(token.value)
    if (token.kind !== 'option') continue
    if (!isOptionName(token.name)) {
      const unknown = printable(token.rawName)
      throw new UsageError(`There is no option ${unknown}. (A name that begins with a dash goes after --.)`)
    }
    const takesValue = OPTIONS[token.name].type === 'string'
    if (takesValue && token.value === undefined) throw new UsageError(`${token.rawName} needs a value.`)
    if (!takesValue && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`)
    given.set(token.name, token.value ?? '')
  }
  return { given, names }
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name)
}

function inputPath([name, second]: readonly string[], folder: string): string | undefined {
  if (name === undefined || name === '') throw new UsageError('Name the video.')
  if (second !== undefined) {
    throw new UsageError(`Name one video only; "${printable(second)}" is a second one.`)
  }
  return name === '-' ? undefined : resolve(folder, name)
}

function outputPath(given: string | undefined, input: string | undefined, folder: string): string {
  if (given === '') throw new UsageError('--output needs the name of a file.')
  if (given === '-') {
    throw new UsageError('--output - is not possible: standard output carries the name of the result.')
  }
  if (given !== undefined) return resolve(folder, given)
  if (input === undefined) throw new UsageError('Name the output (-o FILE) when the video is standard input.')
  const { dir, name } = parse(input)
  return join(dir, `${name}_MP.jpg`)
}

function timeOf(
  given: ReadonlyMap<OptionName, string>,
  option: 'start' | 'end' | 'cover',
): number | undefined {
  const text = given.get(option)
  const seconds = text === undefined ? undefined : parseTime(text)
  if (text !== undefined && seconds === undefined) {
    throw new UsageError(
      `--${option} must be a time such as 1.5, 1:02.5 or 1:02:03, not "${printable(text)}".`,
    )
  }
  return seconds
}

function speedOf(text: string | undefined): number {
  if (text === undefined) return 1
  if (!/^[+-]?(\d{1,9}\.?\d*|\.\d+)$/.test(text.trim())) {
    throw new UsageError(`--speed must be a number such as 1.5, not "${printable(text)}".`)
  }
  return Number(text)
}

function profileOf(text: string | undefined): MotionPhotoProfile {
  const profile = MOTION_PHOTO_PROFILES.find((known) => known === (text ?? 'universal'))
  if (profile) return profile
  const known = MOTION_PHOTO_PROFILES.join(', ')
  throw new UsageError(`--profile must be one of ${known}, not "${printable(text ?? '')}".`)
}
