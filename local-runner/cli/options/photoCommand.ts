import { join, parse, resolve } from 'node:path'
import {
  MOTION_PHOTO_PROFILES,
  type MotionPhotoProfile,
  motionPhotoProfileNamed,
} from '#core/formats/profiles/profile'
import { EXTRACTS } from '#core/media/photos/extractFile'
import { COMMON_OPTIONS, type OptionTable } from '../../commandLine/optionTable'
import { optionValue, printable, readArguments, UsageError } from '../../commandLine/readArguments'
import { renderHelp } from '../../commandLine/renderHelp'
import { mustEndIn } from './readOptions'

/** The commands that take a motion photo instead of a video. */
const PHOTO_COMMANDS = ['inspect', 'extract', 'repair'] as const

export type PhotoCommandName = (typeof PHOTO_COMMANDS)[number]

export type PhotoCommand =
  | { readonly kind: 'photo help'; readonly about: PhotoCommandName }
  /** Paths are absolute. */
  | {
      readonly kind: 'inspect'
      readonly inputs: readonly string[]
      readonly json: boolean
      readonly donor: string | undefined
    }
  | (FileCommand & { readonly kind: 'extract'; readonly what: (typeof EXTRACTS)[number] })
  | (FileCommand & { readonly kind: 'repair'; readonly profile: MotionPhotoProfile | undefined })

type FileCommand = { readonly input: string; readonly output: string; readonly force: boolean }

const JSON_OPTION = { json: { help: ['print the verdicts as JSON objects, one line for each FILE'] } }
const OUTPUT_OPTIONS = {
  output: { value: 'FILE', short: 'o', help: ['what to write'] },
  force: { short: 'f', help: ['overwrite it'] },
}

export const PHOTO_OPTIONS = {
  inspect: {
    donor: { value: 'FILE', help: ['a motion photo of your phone: says what differs'] },
    ...JSON_OPTION,
    ...COMMON_OPTIONS,
  },
  extract: {
    what: { value: 'WHAT', help: [EXTRACTS.join(', ')], default: 'clip' },
    ...OUTPUT_OPTIONS,
    ...COMMON_OPTIONS,
  },
  repair: {
    profile: { value: 'NAME', help: [MOTION_PHOTO_PROFILES.join(', ')], default: 'universal' },
    ...OUTPUT_OPTIONS,
    ...COMMON_OPTIONS,
  },
} as const satisfies Readonly<Record<PhotoCommandName, OptionTable>>

export function isPhotoCommand(word: string | undefined): word is PhotoCommandName {
  return PHOTO_COMMANDS.some((name) => name === word)
}

/**
 * @param args what was typed after the command's name
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parsePhotoCommand(
  name: PhotoCommandName,
  args: readonly string[],
  folder: string,
): PhotoCommand {
  const table: OptionTable = PHOTO_OPTIONS[name]
  const { given, words } = readArguments(args, table, {
    command: name,
    unknownOption: (rawName) => `${name} has no option ${printable(rawName)}.`,
    refusesForgottenValues: true,
  })
  if (given.has('help')) return { kind: 'photo help', about: name }
  const inputs = words.map((word) => resolve(folder, word))
  const [input, second] = inputs
  if (input === undefined || words.includes('')) throw new UsageError('Name the photo.', name)
  if (name === 'inspect') {
    const donor = given.get('donor')
    if (donor === '') throw new UsageError('--donor needs the name of a photo.', name)
    return { kind: 'inspect', inputs, json: given.has('json'), donor: donor && resolve(folder, donor) }
  }
  if (second !== undefined) throw new UsageError('Name one photo only.', name)
  const output = given.get('output')
  const place = (ending: string) =>
    output === undefined ? join(parse(input).dir, parse(input).name + ending) : resolve(folder, output)
  const force = given.has('force')
  if (name === 'extract') {
    const extractOf = (text: string) => EXTRACTS.find((known) => known === text)
    const what = optionValue(given, 'what', extractOf, `one of ${EXTRACTS.join(', ')}`) ?? 'clip'
    if (output !== undefined) mustEndIn(output, ENDINGS[what].slice(1), name)
    return { kind: 'extract', input, output: place(endingOf(what, input)), force, what }
  }
  if (output !== undefined) mustEndIn(output, ['.jpg', '.jpeg', '.heic', '.zip', '.pvt'], name)
  const profiles = `one of ${MOTION_PHOTO_PROFILES.join(', ')}`
  const profile = optionValue(given, 'profile', motionPhotoProfileNamed, profiles)
  return { kind: 'repair', input, output: place(repairedEnding(input)), force, profile }
}

/** A Live Photo and a HEIC stay what they are. */
function repairedEnding(input: string): string {
  const [, kind] = /\.(zip|pvt)$/i.exec(input) ?? []
  return kind ? `_repaired.${kind.toLowerCase()}` : `_repaired_MP${pictureEnding(input)}`
}

function pictureEnding(input: string): string {
  return /\.(?:heic|heif|avif)$/i.exec(input)?.[0].toLowerCase() ?? '.jpg'
}

/** The video of a Live Photo is a file of QuickTime. */
function endingOf(what: keyof typeof ENDINGS, input: string): string {
  if (what === 'still') return `_still${pictureEnding(input)}`
  return what === 'clip' && /\.(zip|pvt)$/i.test(input) ? '.mov' : ENDINGS[what][0]
}

/** What is added to the photo's name, and the endings that another may have: those of all formats in which the part can be. */
const ENDINGS = {
  still: ['_still.jpg', '.jpg', '.jpeg', '.heic'],
  clip: ['.mp4', '.mp4', '.mov'],
  gif: ['.gif', '.gif'],
  webp: ['.webp', '.webp'],
} as const

const USAGES: Readonly<Record<PhotoCommandName, string>> = {
  inspect: `motion-photo inspect: says which galleries recognise a photo, and why not

  motion-photo inspect [--json] FILE...`,
  extract: `motion-photo extract: takes picture, video or animation out of a photo

  motion-photo extract [options] FILE`,
  repair: `motion-photo repair: mends a motion photo or a Live Photo

  motion-photo repair [options] FILE    writes FILE_repaired_MP.jpg or .heic

  A Live Photo is a ZIP, or a bundle (.pvt), and stays one: FILE_repaired.zip`,
}

/** The help of a command that takes a motion photo. */
export function photoHelp(command: PhotoCommandName): string {
  return renderHelp([USAGES[command], PHOTO_OPTIONS[command]], { textColumn: 22, defaultColumn: 60 })
}
