import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { type WallClock, wallClock } from '#core/media/motionPhoto/wallClock'
import type { WorkFolder } from '#core/media/ports'
import type { Source } from '#core/media/prepare/preparePreview'
import { createSniffer } from '#core/media/prepare/source'
import { printable } from '../commandLine/printable'
import { about, onThisMachine } from './failure'
import type { MotionPhotoDependencies } from './motionPhotoDependencies'
import type { Options } from './parseMotionPhotoCommand'
import type { Progress } from './progress'
import { checkRange, neededSeconds, planRange } from './range'
import { describeResult, type Result } from './result'

export type Surroundings = {
  readonly stdin: Readable
  readonly progress: Progress
  readonly signal: AbortSignal
}

const STANDARD_INPUT = 'standard input'

/**
 * Makes a motion photo of one file. What can be refused is refused before any work.
 * @throws UsageError, ConfigError, ServiceError, or the signal's reason; then nothing is left behind
 */
export async function makeMotionPhoto(
  options: Options,
  dependencies: MotionPhotoDependencies,
  { stdin, progress, signal }: Surroundings,
): Promise<Result> {
  const { input, output } = options
  const { files } = dependencies
  const limits = dependencies.limits()
  const mayOverwrite = options.force
  const shownInput = input === undefined ? STANDARD_INPUT : basename(input)
  checkRange(options, limits)

  progress.stage('reading', printable(shownInput))
  const { checkHead, kind } = createSniffer()
  if (input !== undefined) await about(input, () => files.readInputHead(input, checkHead))
  await about(output, () => files.checkOutput(output, { mayOverwrite, input }))
  const { preparePreview, convertClip, workFolders } = await dependencies.openTools()
  signal.throwIfAborted()

  const folder = await onThisMachine(() => workFolders.open())
  try {
    const path = input ?? (await saveStandardInput(folder))
    const source: Source = { path, kind: kind() }
    progress.stage('preparing')
    const task = { folder, signal, maxSeconds: neededSeconds(options), onProgress: progress.share }
    const preview = await onThisMachine(() =>
      about(input ?? STANDARD_INPUT, () => preparePreview(source, task)),
    )
    const plan = planRange(options, preview.frames, limits.maxClipSeconds)
    progress.stage('converting')
    const photo = await onThisMachine(() =>
      convertClip(
        {
          preview: { path: preview.path, hasAudio: preview.hasAudio },
          original: { path, traits: preview.original },
        },
        { plan, profile: options.profile, mute: options.mute, takenAt: localClock(new Date()) },
        { folder, signal },
      ),
    )
    const result = describeResult(output, photo, plan)
    progress.stage('writing', printable(basename(output)))
    await about(output, () => files.writeOutput(output, photo, { mayOverwrite, signal }))
    return result
  } finally {
    await folder.dispose()
  }

  async function saveStandardInput(folder: WorkFolder): Promise<string> {
    const path = folder.path('input')
    const options = { path, maxBytes: limits.maxUploadBytes, checkHead, signal }
    await onThisMachine(() => about(STANDARD_INPUT, () => files.saveStandardInput(stdin, options)))
    return path
  }
}

function localClock(now: Date): WallClock {
  return wallClock(now, -now.getTimezoneOffset())
}
