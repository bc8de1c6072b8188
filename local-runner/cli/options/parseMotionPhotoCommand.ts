import { basename, join, resolve } from 'node:path'
import { MOTION_PHOTO_PROFILES } from '#core/formats/profiles/profile'
import { MAX_SPEED, MIN_SPEED } from '#core/media/convert/clip'
import { OUTPUT_PROFILES } from '#core/media/convert/outputFiles'
import { EXTRACTS } from '#core/media/photos/extractFile'
import { printable, readArguments, UsageError } from '../../commandLine/readArguments'
import { renderHelp } from '../../commandLine/renderHelp'
import manual from './manual.json'
import { type Given, readOptions, type VideoOptions } from './readOptions'

/**
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseMotionPhotoCommand(args: readonly string[], folder: string) {
  const { given, words } = readArguments(args, manual.make.options, {
    unknownOption: (rawName) =>
      `There is no option ${printable(rawName)}. (A name that begins with a dash goes after --.)`,
  })
  if (given.has('help')) return { kind: 'help' } as const
  if (given.has('version')) return { kind: 'version' } as const
  const out = given.get('out')
  if (out !== undefined) return readBatch(given, words, { folder, out })
  return { kind: 'make', options: readOptions(given, words, folder) } as const
}

/** At least one video. No two have the same output; paths are absolute. */
function readBatch(
  given: Given,
  words: readonly string[],
  { folder, out }: { readonly folder: string; readonly out: string },
) {
  if (given.has('output')) throw new UsageError('--out and --output exclude each other.')
  if (words.length === 0) throw new UsageError('Name the videos.')
  if (words.includes('-')) throw new UsageError('Standard input is not possible with --out.')
  const outFolder = resolve(folder, out)
  const videos = words.map((word): VideoOptions => {
    const options = readOptions(given, [word], folder)
    const input = options.input ?? resolve(folder, word)
    return { ...options, mayEndEarlier: true, input, output: join(outFolder, basename(options.output)) }
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
  const different = videos.filter(({ output }) => inputs.delete(output))
  return { kind: 'batch', folder: outFolder, videos: different } as const
}

/** The manual of the program, or of one of its commands; at most 80 columns wide. */
export function helpText(about: keyof typeof manual, version = ''): string {
  const { usage, options, notes, defaultColumn } = manual[about]
  const values = {
    version,
    minSpeed: MIN_SPEED,
    maxSpeed: MAX_SPEED,
    profiles: OUTPUT_PROFILES.join(', '),
    photoProfiles: MOTION_PHOTO_PROFILES.join(', '),
    extracts: EXTRACTS.join(', '),
  }
  const parts = [usage.join('\n'), options, notes.join('\n')]
  return renderHelp(parts, { textColumn: 22, defaultColumn, values })
}
