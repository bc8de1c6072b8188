import { join, parse, resolve } from 'node:path'
import { MOTION_PHOTO_PROFILES, motionPhotoProfileNamed } from '@lantern-room/formats/make'
import { EXTRACTS } from '@lantern-room/media/apart'
import { optionValue, readArguments, UsageError } from '../../commandLine/readArguments'
import type { OptionTable } from '../../commandLine/renderHelp'
import { mustEndIn } from './fileNames'
import manual from './manual.json'

/** The commands that take a motion photo instead of a video. */
const PHOTO_COMMANDS = ['inspect', 'extract', 'strip', 'repair'] as const

export type PhotoCommandName = (typeof PHOTO_COMMANDS)[number]

/** Paths are absolute. */
export type PhotoCommand = ReturnType<typeof parsePhotoCommand>

export function isPhotoCommand(word: string | undefined): word is PhotoCommandName {
  return PHOTO_COMMANDS.some((name) => name === word)
}

/**
 * @param args what was typed after the command's name
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parsePhotoCommand(name: PhotoCommandName, args: readonly string[], folder: string) {
  const table: OptionTable = manual[name].options
  const { given, words } = readArguments(args, table, { command: name })
  if (given.has('help')) return { kind: 'photo help', about: name } as const
  const inputs = words.map((word) => resolve(folder, word))
  const [input, second] = inputs
  if (input === undefined || words.includes('')) throw new UsageError('Name the photo.', name)
  const json = given.has('json')
  const force = given.has('force')
  if (name === 'inspect') return { kind: 'inspect', inputs, json } as const
  if (name === 'strip') {
    const isRecursive = given.has('recursive')
    const named = given.get('out')
    const out = named && resolve(folder, named)
    const whatOf = (text: string) => (['still', 'clip'] as const).find((known) => known === text)
    const what = optionValue(given, 'what', whatOf, 'still or clip') ?? 'still'
    const report = given.get('report')
    return {
      kind: 'strip',
      inputs,
      what,
      out,
      isRecursive,
      json,
      force,
      report: report && resolve(folder, report),
    } as const
  }
  if (second !== undefined) throw new UsageError('Name one photo only.', name)
  const output = given.get('output')
  const place = (ending: string) =>
    output === undefined ? join(parse(input).dir, parse(input).name + ending) : resolve(folder, output)
  if (name === 'extract') {
    const extractOf = (text: string) => EXTRACTS.find((known) => known === text)
    const what = optionValue(given, 'what', extractOf, `one of ${EXTRACTS.join(', ')}`) ?? 'clip'
    if (output !== undefined) mustEndIn(output, ENDINGS[what].slice(1), name)
    const isNamed = output !== undefined
    return { kind: 'extract', input, output: place(endingOf(what, input)), isNamed, force, what } as const
  }
  if (output !== undefined) mustEndIn(output, ['.jpg', '.jpeg', '.heic', '.zip', '.livp', '.pvt'], name)
  const profiles = `one of ${MOTION_PHOTO_PROFILES.join(', ')}`
  const profile = optionValue(given, 'profile', motionPhotoProfileNamed, profiles)
  return { kind: 'repair', input, output: place(repairedEnding(input)), force, profile } as const
}

/** Photo and video of a Live Photo: a ZIP, which some programs call `.livp`, or a bundle. */
export const LIVE_PHOTO = /\.(zip|livp|pvt)$/i

/** A Live Photo and a HEIC stay what they are. */
function repairedEnding(input: string): string {
  const [, kind] = LIVE_PHOTO.exec(input) ?? []
  return kind ? `_repaired.${kind.toLowerCase()}` : `_repaired_MP${pictureEnding(input)}`
}

function pictureEnding(input: string): string {
  return /\.(?:heic|heif|avif)$/i.exec(input)?.[0].toLowerCase() ?? '.jpg'
}

/** The video of a Live Photo is a file of QuickTime. */
function endingOf(what: keyof typeof ENDINGS, input: string): string {
  if (what === 'still') return `_still${pictureEnding(input)}`
  return what === 'clip' && LIVE_PHOTO.test(input) ? '.mov' : ENDINGS[what][0]
}

/** What is added to the photo's name, and the endings that another may have: those of all formats in which the part can be. */
const ENDINGS = {
  still: ['_still.jpg', '.jpg', '.jpeg', '.heic'],
  clip: ['.mp4', '.mp4', '.mov'],
  gif: ['.gif', '.gif'],
  webp: ['.webp', '.webp'],
} as const
