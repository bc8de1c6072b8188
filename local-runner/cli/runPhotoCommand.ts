import { randomUUID } from 'node:crypto'
import { ServiceError } from '@lantern-room/base'
import { extractFile, inspectFile, isBundleName, repairFile } from '@lantern-room/formats/files'
import { describeInspection, type InspectionSummary, recognisedBy } from '@lantern-room/media/apart'
import type { OutputFile } from '@lantern-room/media/make'
import type { ByteSource } from '@lantern-room/mp4/source'
import { joinParts, readFrom } from '@lantern-room/mp4/source'
import { EXIT_OK } from '../commandLine/failure'
import { printable, UsageError } from '../commandLine/readArguments'
import type { MotionPhotoDependencies } from './compose'
import { about, endsAll, failureOf, inWorkFolder, onThisMachine } from './failure'
import { helpText } from './options/parseMotionPhotoCommand'
import { LIVE_PHOTO, type PhotoCommand } from './options/photoCommand'
import { bundleFiles, type OutputPackage } from './outputPackage'
import { withPhoto } from './photoFile'
import { tellObject, tellPath } from './tell'

type Work<Kind extends PhotoCommand['kind']> = Extract<PhotoCommand, { readonly kind: Kind }>

/**
 * Runs a command that takes a motion photo. Results go to standard output, refusals of one of several files to standard
 * error.
 * @returns the exit code
 * @throws UsageError, ServiceError, or the signal's reason; then nothing was written
 */
export async function runPhotoCommand(
  command: Exclude<PhotoCommand, { readonly kind: 'strip' }>,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  if (command.kind === 'photo help') {
    process.stdout.write(helpText(command.about))
    return EXIT_OK
  }
  if (command.kind === 'inspect') return inspectAll(command, dependencies, signal)
  const { input, force } = command
  let { output } = command
  const { files } = dependencies
  const inputs = await files.filesOf([input])
  const check = () => about(output, () => files.checkOutput(output, { mayOverwrite: force, inputs }))
  await check()
  const result = await withPhoto(dependencies, input, (source) =>
    command.kind === 'extract'
      ? extract(command, dependencies, source, signal)
      : repair(command, source, signal),
  )
  // What a Live Photo has as its picture is known only now.
  if (command.kind === 'extract' && !command.isNamed && result.isHeic)
    output = output.replace(/_still\.jpg$/, '_still.heic')
  await check()
  const mode = await files.commonMode(inputs)
  await about(output, () =>
    result.kind === 'folder'
      ? files.writeOutputFolder(output, result.files, { signal, mode })
      : files.writeOutput(output, result.bytes, { mayOverwrite: force, signal, mode }),
  )
  if (result.note) process.stderr.write(`${result.note}\n`)
  tellPath(output)
  return EXIT_OK
}

async function inspectAll(
  { inputs, json }: Work<'inspect'>,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  let exitCode = EXIT_OK
  for (const input of inputs) {
    try {
      const found = await withPhoto(dependencies, input, (source) =>
        readFrom(inspectFile(source), source, signal),
      )
      const summary = describeInspection(found)
      if (json) tellObject({ file: input, ...summary })
      else process.stdout.write(verdictText(input, summary))
    } catch (error) {
      signal.throwIfAborted()
      const isUnforeseen = !(error instanceof ServiceError)
      if (inputs.length === 1 || (isUnforeseen && endsAll(error))) throw error
      const failure = failureOf(error)
      process.stderr.write(`motion-photo: ${failure.sentence}\n`)
      exitCode = failure.exitCode
    }
  }
  return exitCode
}

type Made = OutputPackage & { readonly note?: string; readonly isHeic?: boolean }

async function extract(
  { what }: Work<'extract'>,
  { openTools }: MotionPhotoDependencies,
  source: ByteSource,
  signal: AbortSignal,
): Promise<Made> {
  const reading = extractFile(source, what === 'still' ? 'still' : 'clip')
  const { parts, mediaType } = await readFrom(reading, source, signal)
  const bytes = await joinParts(parts, source)
  if (what === 'still' || what === 'clip') return { kind: 'file', bytes, isHeic: mediaType === 'image/heic' }
  const { workFolders, animate } = await openTools()
  return inWorkFolder(workFolders, async (folder) => {
    const path = await onThisMachine(() => folder.write('clip.mp4', bytes))
    return { kind: 'file', bytes: await animate(path, what, signal) }
  })
}

async function repair(
  { profile, output }: Work<'repair'>,
  source: ByteSource,
  signal: AbortSignal,
): Promise<Made> {
  const reading = repairFile(source, { profile, newIdentifier: randomUUID().toUpperCase() })
  const { parts, before, after, files } = await readFrom(reading, source, signal)
  const note = `recognised by ${listed(recognisedBy(after))}; before: ${listed(recognisedBy(before))}`
  if (LIVE_PHOTO.test(output) !== (files !== undefined)) {
    throw new UsageError(
      files
        ? 'A Live Photo is two files: name an output that ends in .zip, .livp or .pvt.'
        : 'Only a Live Photo becomes a ZIP or a bundle: name an output that ends in .jpg or .heic.',
      'repair',
    )
  }
  if (!files || !isBundleName(output)) return { kind: 'file', bytes: await joinParts(parts, source), note }
  const pair: OutputFile[] = []
  for (const file of files) pair.push({ name: file.name, bytes: await joinParts(file.parts, source) })
  return { kind: 'folder', files: bundleFiles(output, pair), note }
}

type Clip = NonNullable<InspectionSummary['clip']>

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'no gallery' : names.join(', ')
}

function verdictText(path: string, { clip, galleries, sending, format }: InspectionSummary): string {
  const video =
    clip === null
      ? 'no video'
      : `video ${codingText(clip)}, ${clip.duration ?? '?'} s, ${clip.bytes} bytes at ${clip.offset}`
  const lines = galleries.flatMap(({ gallery, recognised, plays, problems }) => [
    `  ${gallery.padEnd(8)} ${recognised}${recognised !== 'no' && !plays ? ', does not play' : ''}`,
    ...problems.map(
      ({ detail, repair: mend }) => `           ${detail}${mend === null ? '' : ` Repair: ${mend}.`}`,
    ),
  ])
  const chats = sending.map(({ detail }, row) => `  ${(row === 0 ? 'chats' : '').padEnd(8)} ${detail}`)
  return `${[`${printable(path)}: ${format}, ${video}`, ...lines, ...chats].join('\n')}\n`
}

function codingText({ codec, profile, level, bit_depth: bits, chroma, width, height, fps }: Clip): string {
  if (codec === null) return 'unreadable'
  const coding = profile === null ? codec : `${codec} (${profile}, level ${level}, ${bits} bit, ${chroma})`
  return `${coding}, ${width} × ${height}, ${fps} fps`
}
