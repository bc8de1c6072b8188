import { isIP } from 'node:net'
import { join, parse, resolve } from 'node:path'
import type { OriginWish } from '#core/media/capture/chooseOrigin'
import { COMMON_OPTIONS, type OptionTable } from '../commandLine/optionTable'
import { printable, readArguments, UsageError } from '../commandLine/readArguments'
import { renderHelp } from '../commandLine/renderHelp'
import { ORIGIN_OPTIONS, readOrigin } from './originOptions'
import { parseTime } from './readOptions'

export type TrialCommand =
  | { readonly kind: 'trial help' }
  | (TrialOrder & {
      readonly kind: 'trial'
      readonly page: TrialPlace | undefined
      readonly isQuiet: boolean
    })
  /** Absolute. */
  | { readonly kind: 'trial table'; readonly folder: string }

/** Which photos to make. */
export type TrialOrder = {
  /** Absolute, as is the next one. */
  readonly input: string
  readonly folder: string
  /** Seconds, as is the next one. */
  readonly start: number
  readonly cover: number | undefined
  readonly origin: OriginWish
}

/** Where the page is served. */
export type TrialPlace = {
  /** Undefined: all addresses in private networks. */
  readonly host: string | undefined
  /** 0: a free one. */
  readonly port: number
}

const TRIAL_OPTIONS = {
  start: { value: 'TIME', help: ['begin of the clips of three seconds'], default: '0' },
  cover: { value: 'TIME', help: ['the still picture'], default: 'the middle of the clip' },
  ...ORIGIN_OPTIONS,
  out: { value: 'FOLDER', help: ['where the photos go'], default: 'FILE_trial beside FILE' },
  'no-serve': { help: ['write the photos only, and show no page'] },
  host: { value: 'ADDRESS', help: ['of this machine, for the page'], default: 'those in private networks' },
  port: { value: 'N', help: ['for the page'], default: 'a free one' },
  table: { value: 'FOLDER', help: ['print the verdicts in FOLDER as a Markdown table'] },
  quiet: { short: 'q', help: ['print results and errors only'] },
  ...COMMON_OPTIONS,
} as const satisfies OptionTable

type Given = ReadonlyMap<keyof typeof TRIAL_OPTIONS, string>

/**
 * @param args what was typed after `trial`
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseTrialCommand(args: readonly string[], folder: string): TrialCommand {
  const { given, words } = readArguments(args, TRIAL_OPTIONS, {
    command: 'trial',
    unknownOption: (rawName) => `trial has no option ${printable(rawName)}.`,
    refusesForgottenValues: true,
  })
  if (given.has('help')) return { kind: 'trial help' }
  const table = given.get('table')
  if (table !== undefined) {
    if (words.length > 0 || given.size > 1)
      throw wrong('--table takes the name of a folder, and nothing else.')
    return { kind: 'trial table', folder: resolve(folder, table) }
  }
  const [word, second] = words
  if (word === undefined || word === '') throw wrong('Name the video or motion photo.')
  if (second !== undefined) throw wrong('Name one file only.')
  if (word === '-') throw wrong('Standard input is not possible for a trial: name a file.')
  const input = resolve(folder, word)
  const out = given.get('out')
  const { dir, name } = parse(input)
  return {
    kind: 'trial',
    input,
    folder: out === undefined ? join(dir, `${name}_trial`) : resolve(folder, out),
    start: timeOf(given, 'start') ?? 0,
    cover: timeOf(given, 'cover'),
    origin: readOrigin((option) => given.get(option)),
    page: placeOf(given),
    isQuiet: given.has('quiet'),
  }
}

function placeOf(given: Given): TrialPlace | undefined {
  const [host, port] = [given.get('host'), given.get('port')]
  if (given.has('no-serve')) {
    if (host !== undefined || port !== undefined)
      throw wrong('--no-serve shows no page: leave out --host and --port.')
    return undefined
  }
  if (host !== undefined && isIP(host) === 0) {
    throw wrong(`--host must be an address of this machine such as 192.168.1.2, not "${printable(host)}".`)
  }
  const number = Number(port ?? '0')
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || number > 65_535)) {
    throw wrong(`--port must be a number from 0 to 65535, not "${printable(port)}".`)
  }
  return { host, port: number }
}

function timeOf(given: Given, option: 'start' | 'cover'): number | undefined {
  const text = given.get(option)
  const seconds = text === undefined ? undefined : parseTime(text)
  if (text === undefined || seconds !== undefined) return seconds
  throw wrong(`--${option} must be a time such as 1.5, 1:02.5 or 1:02:03, not "${printable(text)}".`)
}

function wrong(sentence: string): UsageError {
  return new UsageError(sentence, 'trial')
}

const USAGE = `motion-photo trial: finds out by a phone what its gallery needs

  motion-photo trial [options] FILE    FILE is a video or a motion photo
  motion-photo trial --table FOLDER`

const NOTES = `
It writes photos that differ from the first in one thing each, and shows them
on a page for phones in the same network, by address or QR code. The page takes
a verdict on each. Ctrl-C ends it; the same command goes on where it was.`

/** The manual, at most 80 columns wide. */
export function trialHelp(): string {
  return renderHelp([USAGE, TRIAL_OPTIONS, NOTES], { textColumn: 22, defaultColumn: 56 })
}
