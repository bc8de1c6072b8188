import { resolve } from 'node:path'
import { MOTION_PHOTO_PROFILES } from '@lantern-room/formats/make'
import { EXTRACTS } from '@lantern-room/media/apart'
import { MAX_SPEED, MIN_SPEED, OUTPUT_PROFILES } from '@lantern-room/media/options'
import { printable, readArguments, UsageError } from '../../commandLine/readArguments'
import { renderHelp } from '../../commandLine/renderHelp'
import manual from './manual.json'
import { type Given, readOptions } from './readOptions'

/**
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseMotionPhotoCommand(args: readonly string[], folder: string) {
  const { given: all, words } = readArguments(args, manual.make.options, {
    unknownOption: (rawName) =>
      `There is no option ${printable(rawName)}. (A name that begins with a dash goes after --.)`,
  })
  const to = all.get('to')
  const given: Given = to === undefined ? all : new Map([...all, ['profile', to]])
  if (given.has('help')) return { kind: 'help' } as const
  if (given.has('version')) return { kind: 'version' } as const
  const out = given.get('out')
  if (out !== undefined) return readBatch(given, words, folder, out)
  const alone = ONLY_WITH_OUT.find((option) => given.has(option))
  if (alone !== undefined) throw new UsageError(`--${alone} is only for --out FOLDER.`)
  return { kind: 'make', options: readOptions(given, words, folder) } as const
}

const ONLY_WITH_OUT = ['names', 'recursive', 'dry-run', 'report'] as const

/** Several files and folders, and where their photos go. */
export type BatchCommand = ReturnType<typeof readBatch>

/** Paths are absolute. The options are read for each video. */
function readBatch(given: Given, words: readonly string[], folder: string, out: string) {
  if (given.has('output')) throw new UsageError('--out and --output exclude each other.')
  if (words.length === 0) throw new UsageError('Name the videos.')
  if (words.includes('-')) throw new UsageError('Standard input is not possible with --out.')
  const [{ coverFile } = { coverFile: undefined }] = words.map((word) => readOptions(given, [word], folder))
  const paths = [...new Set(words.map((word) => resolve(folder, word)))]
  const names = given.get('names') ?? '{name}'
  if (!/^(?=.*\{)([^{}/\\]|\{(name|date|n)\})+$/.test(names))
    throw new UsageError('--names must have {name}, {date} or {n}, and no other braces or slashes.')
  const named = given.get('report')
  return {
    kind: 'batch',
    given,
    paths,
    names,
    /** That relative paths among the options start from. */
    folder,
    out: resolve(folder, out),
    /** What else is read. */
    others: coverFile === undefined ? [] : [coverFile],
    /** Where to write what became of each file. */
    report: named === undefined ? undefined : resolve(folder, named),
  } as const
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
