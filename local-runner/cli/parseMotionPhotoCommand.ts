import { basename, join, resolve } from 'node:path'
import { printable, readArguments, UsageError } from '../commandLine/readArguments'
import { type Given, OPTIONS, type Options, type VideoOptions } from './motionPhotoOptions'
import { readOptions } from './readOptions'

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
