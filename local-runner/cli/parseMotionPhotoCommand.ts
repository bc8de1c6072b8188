import { basename, join, parse, resolve } from 'node:path'
import type { OriginWish } from '#core/media/capture/chooseOrigin'
import { MAX_SPEED, MIN_SPEED } from '#core/media/convert/clip'
import type { ClipQuality } from '#core/media/convert/convertClip'
import { isMotionPhotoProfile, OUTPUT_PROFILES, type OutputProfile } from '#core/media/convert/outputProfile'
import { CROP_FORMS, type PictureEdit, parseCrop, parseRotation, ROTATIONS } from '#core/media/pictureEdit'
import { COMMON_OPTIONS, type OptionTable } from '../commandLine/optionTable'
import { printable } from '../commandLine/printable'
import { readArguments, UsageError } from '../commandLine/readArguments'
import { ORIGIN_OPTIONS, readOrigin } from './originOptions'
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
  /** `auto`: the photo's own picture, where the input is a motion photo and no time is given. */
  readonly coverFrom: 'time' | 'source' | 'auto'
  /** A picture that is the cover; absolute. */
  readonly coverFile: string | undefined
  /** A photo of the phone for which the result is; absolute. */
  readonly donor: string | undefined
  readonly edit: PictureEdit
  readonly repeat: number | undefined
  readonly speed: number
  readonly profile: OutputProfile
  /** Otherwise a donor decides. */
  readonly isProfileGiven: boolean
  readonly mute: boolean
  readonly quality: ClipQuality
  readonly hdr: boolean
  readonly origin: OriginWish
  readonly force: boolean
  readonly json: boolean
  readonly quiet: boolean
}

export type Command =
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'make'; readonly options: Options }
  | WatchCommand
  | {
      readonly kind: 'batch'
      /** Absolute. */
      readonly folder: string
      /** At least one. No two have the same output. */
      readonly videos: readonly VideoOptions[]
    }

/** A folder to make photos of all that comes into it. */
export type WatchCommand = {
  readonly kind: 'watch'
  /** Absolute, as is the next one, where the photos go. */
  readonly watched: string
  readonly folder: string
  readonly isQuiet: boolean
  /** @param path of a video, absolute */
  readonly optionsOf: (path: string) => VideoOptions
}

/** Options for a video that is a file. */
export type VideoOptions = Options & { readonly input: string }

export const OPTIONS = {
  start: { value: 'TIME', help: ['begin of the clip'], default: 'default: begin of the video' },
  end: { value: 'TIME', help: ['end of the clip'], default: "3 s later or the video's end" },
  cover: {
    value: 'TIME',
    help: ['the still picture; source (default): that of', 'the motion photo, if one is given'],
    default: 'the middle of the clip',
  },
  'cover-file': { value: 'FILE', help: ['a JPEG, PNG or WebP as still picture'] },
  speed: { value: 'N', help: [`${MIN_SPEED} to ${MAX_SPEED} times as fast`], default: '1' },
  profile: { value: 'NAME', help: [OUTPUT_PROFILES.join(', ')], default: 'universal' },
  donor: {
    value: 'FILE',
    help: ['a motion photo of your phone, whose maker,', 'model and marks the photo then has'],
  },
  crop: {
    value: 'PART',
    help: ['1:1 or another ratio, or WxH or WxH+X+Y', 'pixels of the video, for still and clip'],
  },
  rotate: { value: 'DEGREES', help: ['90, 180 or 270, clockwise'] },
  repeat: { value: 'N', help: ['play the range N times; without sound only'] },
  mute: { help: ['leave the sound out'] },
  quality: {
    value: 'NAME',
    help: ["source: the video's own pictures", 'preview: H.264 at 720p or less'],
    default: 'source if it is H.264',
  },
  hdr: { help: ['an Ultra HDR photo, if the video is HDR (PQ, HLG)'] },
  ...ORIGIN_OPTIONS,
  output: {
    value: 'FILE',
    short: 'o',
    help: ['the JPEG to write; for apple and all', 'a ZIP, for apple also a folder NAME.pvt'],
    default: 'VIDEO_MP.jpg',
  },
  out: { value: 'FOLDER', help: ['for any number of videos: where to write'] },
  watch: { value: 'FOLDER', help: ['with --out: of each video that comes into it'] },
  force: { short: 'f', help: ['overwrite FILE'] },
  json: { help: ['print the result as a JSON object, not only its path'] },
  quiet: { short: 'q', help: ['show no progress'] },
  ...COMMON_OPTIONS,
} as const satisfies OptionTable

type Given = ReadonlyMap<keyof typeof OPTIONS, string>

/**
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseMotionPhotoCommand(args: readonly string[], folder: string): Command {
  const { given, words } = readArguments(args, OPTIONS, {
    unknownOption: (rawName) =>
      `There is no option ${printable(rawName)}. (A name that begins with a dash goes after --.)`,
    refusesForgottenValues: false,
  })
  if (given.has('help')) return { kind: 'help' }
  if (given.has('version')) return { kind: 'version' }
  const out = given.get('out')
  const watched = given.get('watch')
  if (watched !== undefined) return readWatch(given, words, { folder, out, watched })
  if (out !== undefined) return readBatch(given, words, { folder, out })
  return { kind: 'make', options: readOptions(given, words, folder) }
}

function readWatch(
  given: Given,
  words: readonly string[],
  {
    folder,
    out,
    watched,
  }: { readonly folder: string; readonly out: string | undefined; readonly watched: string },
): WatchCommand {
  if (watched === '') throw new UsageError('--watch needs the name of a folder.')
  if (!out) throw new UsageError('--watch needs --out FOLDER: where the photos go.')
  if (given.has('output')) throw new UsageError('--out and --output exclude each other.')
  if (words.length > 0) throw new UsageError('Name no videos with --watch: it takes those in its folder.')
  const outFolder = resolve(folder, out)
  const optionsOf = (path: string): VideoOptions => {
    const options = readOptions(given, [path], folder)
    return { ...options, input: path, output: join(outFolder, basename(options.output)) }
  }
  // What is wrong with the other options is said now, and not at the first video.
  optionsOf(join(folder, 'video.mp4'))
  return {
    kind: 'watch',
    watched: resolve(folder, watched),
    folder: outFolder,
    isQuiet: given.has('quiet'),
    optionsOf,
  }
}

function readBatch(
  given: Given,
  words: readonly string[],
  { folder, out }: { readonly folder: string; readonly out: string },
): Command {
  if (out === '') throw new UsageError('--out needs the name of a folder.')
  if (given.has('output')) throw new UsageError('--out and --output exclude each other.')
  if (words.length === 0) throw new UsageError('Name the videos.')
  if (words.includes('-')) throw new UsageError('Standard input is not possible with --out.')
  const outFolder = resolve(folder, out)
  const videos = words.map((word): VideoOptions => {
    const options = readOptions(given, [word], folder)
    const input = options.input ?? resolve(folder, word)
    return { ...options, input, output: join(outFolder, basename(options.output)) }
  })
  const inputs = new Map<string, string>()
  for (const { input, output } of videos) {
    const other = inputs.get(output)
    if (other !== undefined && other !== input) {
      throw new UsageError(
        `"${printable(other)}" and "${printable(input)}" would both become ${printable(basename(output))}.`,
      )
    }
    inputs.set(output, input)
  }
  return { kind: 'batch', folder: outFolder, videos: videos.filter(({ output }) => inputs.delete(output)) }
}

function readOptions(given: Given, words: readonly string[], folder: string): Options {
  const start = timeOf(given, 'start') ?? 0
  const end = timeOf(given, 'end')
  const isOwn = given.get('cover') === 'source'
  const cover = isOwn ? undefined : timeOf(given, 'cover')
  const coverFile = coverFileOf(given, folder)
  const donor = fileOf(given, 'donor', folder)
  const edit = editOf(given)
  const repeat = repeatOf(given.get('repeat'))
  const speed = speedOf(given.get('speed'))
  const profile = profileOf(given.get('profile'))
  const quality = qualityOf(given.get('quality'))
  const origin = readOrigin((name) => given.get(name))
  // After the values: an option whose value was forgotten has taken the name of the video.
  const input = inputPath(words, folder)
  return {
    input,
    output: outputPath(given.get('output'), { input, folder, profile }),
    start,
    end,
    cover,
    coverFrom: isOwn ? 'source' : 'auto',
    coverFile,
    donor,
    edit,
    repeat,
    speed,
    profile,
    isProfileGiven: given.has('profile'),
    mute: given.has('mute'),
    quality,
    hdr: given.has('hdr'),
    origin,
    force: given.has('force'),
    json: given.has('json'),
    quiet: given.has('quiet'),
  }
}

function inputPath([name, second]: readonly string[], folder: string): string | undefined {
  if (name === undefined || name === '') throw new UsageError('Name the video.')
  if (second !== undefined) {
    throw new UsageError(`Name one video only; "${printable(second)}" is a second one.`)
  }
  return name === '-' ? undefined : resolve(folder, name)
}

function outputPath(
  given: string | undefined,
  { input, folder, profile }: { input: string | undefined; folder: string; profile: OutputProfile },
): string {
  if (given === '') throw new UsageError('--output needs the name of a file.')
  if (given === '-') {
    throw new UsageError('--output - is not possible: standard output carries the name of the result.')
  }
  if (given !== undefined) return resolve(folder, given)
  if (input === undefined) throw new UsageError('Name the output (-o FILE) when the video is standard input.')
  const { dir, name } = parse(input)
  return join(dir, name + endingOf(profile))
}

function endingOf(profile: OutputProfile): string {
  if (isMotionPhotoProfile(profile)) return '_MP.jpg'
  return profile === 'apple' ? '_live.zip' : '_all.zip'
}

function timeOf(given: Given, option: 'start' | 'end' | 'cover'): number | undefined {
  const text = given.get(option)
  const seconds = text === undefined ? undefined : parseTime(text)
  if (text !== undefined && seconds === undefined) {
    throw new UsageError(
      `--${option} must be a time such as 1.5, 1:02.5 or 1:02:03, not "${printable(text)}".`,
    )
  }
  return seconds
}

function coverFileOf(given: Given, folder: string): string | undefined {
  const path = fileOf(given, 'cover-file', folder)
  if (path !== undefined && given.get('cover') === 'source') {
    throw new UsageError('--cover source and --cover-file exclude each other.')
  }
  return path
}

function fileOf(given: Given, option: 'cover-file' | 'donor', folder: string): string | undefined {
  const name = given.get(option)
  if (name === '') throw new UsageError(`--${option} needs the name of a picture.`)
  return name === undefined ? undefined : resolve(folder, name)
}

function editOf(given: Given): PictureEdit {
  const [cropText, turnText] = [given.get('crop'), given.get('rotate')]
  const crop = cropText === undefined ? undefined : parseCrop(cropText)
  if (cropText !== undefined && !crop) {
    throw new UsageError(`--crop must be ${CROP_FORMS}, not "${printable(cropText)}".`)
  }
  const rotate = parseRotation(turnText ?? '0')
  if (rotate === undefined) {
    throw new UsageError(
      `--rotate must be one of ${ROTATIONS.join(', ')}, not "${printable(turnText ?? '')}".`,
    )
  }
  return { crop, rotate }
}

function repeatOf(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,4}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new UsageError(`--repeat must be a whole number such as 3, not "${printable(text)}".`)
}

function speedOf(text: string | undefined): number {
  if (text === undefined) return 1
  if (!/^[+-]?(\d{1,9}\.?\d*|\.\d+)$/.test(text.trim())) {
    throw new UsageError(`--speed must be a number such as 1.5, not "${printable(text)}".`)
  }
  return Number(text)
}

function profileOf(text: string | undefined): OutputProfile {
  const profile = OUTPUT_PROFILES.find((known) => known === (text ?? 'universal'))
  if (profile) return profile
  const known = OUTPUT_PROFILES.join(', ')
  throw new UsageError(`--profile must be one of ${known}, not "${printable(text ?? '')}".`)
}

function qualityOf(text: string | undefined): ClipQuality {
  if (text === undefined) return 'auto'
  if (text === 'source' || text === 'preview') return text
  throw new UsageError(`--quality must be source or preview, not "${printable(text)}".`)
}
