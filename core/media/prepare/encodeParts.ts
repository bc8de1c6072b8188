import { allOrNone } from '#core/async/allOrNone'
import { abortable } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import type { ByteSource } from '#core/formats/source/byteSource'
import { mp4Output } from '../ffmpeg/encodeArgs'
import { requireSuccess } from '../ffmpeg/requireSuccess'
import { FPS } from '../frames'
import type { WorkFolder } from '../ports'
import { explainRefusal } from './explainRefusal'
import { joinParts } from './joinParts'
import type { Part } from './partPlan'
import { type PreviewSettings, previewArgs, type SoundTry, soundArgs } from './previewArgs'
import { OUTPUT_FILES, type OutputFiles, type PreviewTask, runEncoder } from './previewOutput'
import { probeFile } from './probeFile'

/** A preview that several processes encode at once. */
export type DividedPreview = {
  /** Of the preview as a whole. */
  readonly settings: PreviewSettings
  readonly parts: readonly Part[]
  readonly sound: readonly SoundTry[]
  /** Of the whole, as far as they are known before. */
  readonly expectedFrames: number
}

const SOUND_FILE = 'sound.mp4'

/**
 * Encodes the pictures of each part by a process of its own, the sound by one more, and joins them by copy.
 * @returns whether the preview was written; otherwise nothing of it is there, and one process must make it
 * @throws the signal's reason; ServiceError `timeout`
 */
export async function encodeParts(task: PreviewTask, divided: DividedPreview): Promise<boolean> {
  const { parts, expectedFrames } = divided
  const threads = Math.ceil(divided.settings.threads / parts.length)
  const settings = { ...divided.settings, threads }
  const files = parts.map((_, index) => ({ preview: `part${index}.mp4`, tiles: `part${index}.mjpeg` }))
  const reports = shareReports(parts, expectedFrames, task.onProgress)
  const pictures = parts.map((part, index) => {
    const output = files[index] ?? OUTPUT_FILES
    return (signal: AbortSignal) => encodePart({ ...task, signal, ...reports[index] }, settings, part, output)
  })
  const sound = (signal: AbortSignal) => encodeSound({ ...task, signal }, divided)
  try {
    const made = await allOrNone(task.signal, [...pictures, sound])
    const hasSound = made.at(-1) === true
    return await join(task, divided, files, hasSound)
  } catch (error) {
    task.signal.throwIfAborted()
    // What one process cannot do either, it can at least explain.
    if (error instanceof ServiceError && error.code !== 'timeout') return false
    throw error
  }
}

async function encodePart(
  task: PreviewTask,
  settings: PreviewSettings,
  { firstFrame, maxFrames }: Part,
  files: OutputFiles,
): Promise<boolean> {
  const isFirst = firstFrame === settings.firstFrame
  const probe = isFirst ? settings.probe : await seekTo(firstFrame, settings, task)
  const part = isFirst ? 'first' : 'later'
  const args = previewArgs({ ...settings, probe, firstFrame, maxSeconds: maxFrames / FPS, part }, [])
  const encoding = { args, expectedFrames: maxFrames, strip: settings.strip, files }
  requireSuccess(await runEncoder(task, encoding), explainRefusal)
  return true
}

/** The traits are those of the whole: of pictures in the middle, a file may say something else. */
async function seekTo(
  frame: number,
  { path, probe }: PreviewSettings,
  task: PreviewTask,
): Promise<PreviewSettings['probe']> {
  const { seekSeconds } = await probeFile(path, frame, task)
  if (seekSeconds > 0) return { ...probe, seekSeconds }
  throw new ServiceError('internal', 'A part can only be read from the beginning of the file.')
}

/** @returns whether there is sound */
async function encodeSound(
  { ffmpeg, folder, timeoutMs, signal }: PreviewTask,
  { sound, settings }: DividedPreview,
): Promise<boolean> {
  for (const { args, isWorthNextTry } of sound) {
    if (args.length === 0) break
    const all = [...soundArgs(settings, args), ...mp4Output(folder.path(SOUND_FILE))]
    const outcome = await ffmpeg.run({ args: all, timeoutMs, signal })
    if (outcome.exitCode === 0) return true
    if (!isWorthNextTry(outcome)) requireSuccess(outcome, explainRefusal)
  }
  return false
}

/** Writes the preview and the tiles of its filmstrip where one process would have written them. */
async function join(
  { folder, signal }: PreviewTask,
  { parts, settings }: DividedPreview,
  files: readonly OutputFiles[],
  hasSound: boolean,
): Promise<boolean> {
  const sources = await Promise.all(files.map(({ preview }) => openSource(folder, preview)))
  const joined = await joinParts(
    sources.map((source, index) => ({ source, frames: parts[index]?.frames })),
    hasSound ? await openSource(folder, SOUND_FILE) : undefined,
  )
  if (!joined) return false
  await folder.write(OUTPUT_FILES.preview, abortable(joined.bytes(), signal))
  if (settings.strip) await folder.write(OUTPUT_FILES.tiles, filesInOrder(folder, files))
  // They are as large as the preview, and what follows may need the space.
  for (const { preview } of files) await folder.write(preview, new Uint8Array())
  return true
}

async function openSource(folder: WorkFolder, name: string): Promise<ByteSource> {
  return {
    size: (await folder.size(name)) ?? 0,
    read: async (start, end) =>
      start === end ? new Uint8Array() : folder.read(name, { start, end: end - 1 }),
  }
}

async function* filesInOrder(folder: WorkFolder, files: readonly OutputFiles[]): AsyncGenerator<Uint8Array> {
  for (const { tiles } of files) yield await folder.read(tiles)
}

/** For each part, a function that turns its progress into progress of the whole. */
function shareReports(
  parts: readonly Part[],
  expectedFrames: number,
  onProgress: PreviewTask['onProgress'],
): Pick<PreviewTask, 'onProgress'>[] {
  if (!onProgress) return []
  const done = parts.map(() => 0)
  return parts.map(({ maxFrames }, index) => ({
    onProgress(share) {
      done[index] = share * maxFrames
      onProgress(Math.min(1, done.reduce((sum, frames) => sum + frames, 0) / expectedFrames))
    },
  }))
}
