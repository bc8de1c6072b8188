import { basename, join, resolve } from 'node:path'
import { printable, readArguments, UsageError } from '../../commandLine/readArguments'
import manual from './manual.json'
import type { Given, Options, VideoOptions } from './motionPhotoOptions'
import { readOptions } from './readOptions'

export type MotionPhotoCommand =
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'make'; readonly options: Options }
  | {
      readonly kind: 'batch'
      /** Absolute. */
      readonly folder: string
      /** At least one. No two have the same output. */
      readonly videos: readonly VideoOptions[]
    }

/**
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseMotionPhotoCommand(args: readonly string[], folder: string): MotionPhotoCommand {
  const { given, words } = readArguments(args, manual.make.options, {
    unknownOption: (rawName) =>
      `There is no option ${printable(rawName)}. (A name that begins with a dash goes after --.)`,
    refusesForgottenValues: false,
  })
  if (given.has('help')) return { kind: 'help' }
  if (given.has('version')) return { kind: 'version' }
  const out = given.get('out')
  if (out !== undefined) return readBatch(given, words, { folder, out })
  return { kind: 'make', options: readOptions(given, words, folder) }
}

function readBatch(
  given: Given,
  words: readonly string[],
  { folder, out }: { readonly folder: string; readonly out: string },
): MotionPhotoCommand {
  if (out === '') throw new UsageError('--out needs the name of a folder.')
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
  return { kind: 'batch', folder: outFolder, videos: videos.filter(({ output }) => inputs.delete(output)) }
}
