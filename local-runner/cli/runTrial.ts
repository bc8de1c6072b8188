import { join, parse, resolve } from 'node:path'
import { ServiceError } from '@lantern-room/base'
import { readMovie, unixTimeOf } from '@lantern-room/formats/parts'
import type { ClipChange } from '@lantern-room/media'
import {
  createSniffer,
  FPS,
  materialOf,
  type PhotoOfFile,
  photoOfFile,
  type TrialMaterial,
  trialFiles,
} from '@lantern-room/media'
import type { WorkFolder } from '@lantern-room/media/ports'
import { EXIT_OK } from '../commandLine/failure'
import { printable, readArguments, UsageError } from '../commandLine/readArguments'
import type { MotionPhotoDependencies } from './compose'
import { about, checkRange, inWordsOfOptions, inWorkFolder, onThisMachine } from './failure'
import { localZone } from './makeMotionPhoto'
import manual from './options/manual.json'
import { helpText } from './options/parseMotionPhotoCommand'
import { readOptions, type VideoOptions } from './options/readOptions'
import { tellPath } from './tell'

const LONG_SECONDS = 10
/** A clip that is hardly longer proves nothing. */
const LONGER_BY_SECONDS = 0.5

type Trial = { readonly video: VideoOptions; readonly out: string }

/** @param args what was typed after `trial` @returns undefined when help is wanted @throws UsageError */
export function parseTrial(args: readonly string[], folder: string): Trial | undefined {
  const { given, words } = readArguments(args, manual.trial.options, { command: 'trial' })
  if (given.has('help')) return undefined
  if (words[0] === '-') throw new UsageError('A trial cannot read standard input: name a file.', 'trial')
  const options = readOptions(given, words, folder)
  const input = options.input ?? ''
  const { dir, name } = parse(input)
  const out = resolve(folder, given.get('out') ?? join(dir, `${name}_trial`))
  return { video: { ...options, input }, out }
}

/**
 * Writes the photos of a trial and a list to fill in into a new folder, all or nothing.
 * @throws as `makeMotionPhoto`; ServiceError `invalid-request` when the folder is there already
 */
export async function runTrial(
  trial: Trial | undefined,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  if (!trial) {
    process.stdout.write(helpText('trial'))
    return EXIT_OK
  }
  const { files } = dependencies
  const { video, out } = trial
  if (await files.listNames(out).catch(() => undefined)) {
    throw new ServiceError('invalid-request', `${printable(out)} exists: name a new folder with --out.`)
  }
  const material = await gatherMaterial(video, dependencies, signal)
  const { takenAt } = material.baseline
  const modifiedMs = takenAt && unixTimeOf(takenAt)
  const mode = await files.commonMode(await files.filesOf([video.input]))
  await about(out, () => files.writeOutputFolder(out, trialFiles(material), { signal, modifiedMs, mode }))
  tellPath(out)
  return EXIT_OK
}

async function gatherMaterial(
  options: VideoOptions,
  { files, limits, openTools }: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<TrialMaterial> {
  const { input, start } = options
  checkRange(options, limits())
  const { checkHead, kind } = createSniffer()
  await about(input, () => files.readInputHead(input, checkHead))
  const fileTime = await about(input, () => files.modificationTime(input))
  const tools = await openTools()
  const photo = await makePhoto(undefined, options.cover)
  const baseline = materialOf(photo)
  const { clip, presentationTimestampUs } = baseline
  const sound = soundChange(clip)
  const [hevc, other, longer] = [await changed('hevc'), await changed(sound), await longerThan(photo)]
  return { baseline, clips: { hevc, longer, [sound]: other } }

  async function changed(change: ClipChange) {
    const make = (folder: WorkFolder) => tools.changeClip(clip, change, { folder, signal })
    const other = await onThisMachine(() => inWorkFolder(tools.workFolders, make))
    return other && { clip: other, presentationTimestampUs }
  }

  async function longerThan({ plan, videoSeconds }: PhotoOfFile) {
    const end = Math.min(start + Math.min(LONG_SECONDS, limits().maxClipSeconds), videoSeconds)
    const isLonger = end - start >= plan.clipFrames / FPS + LONGER_BY_SECONDS
    if (!isLonger || !Number.isFinite(videoSeconds)) return undefined
    return materialOf(await makePhoto(end, plan.coverFrame / FPS))
  }

  function makePhoto(end: number | undefined, cover: number | undefined): Promise<PhotoOfFile> {
    const circumstances = { now: Date.now(), fileTime, localZone }
    const request = { ...options, end, cover, coverFile: undefined }
    const source = { path: input, kind: kind(), name: parse(input).base }
    const make = (folder: WorkFolder) =>
      onThisMachine(() => photoOfFile(tools, source, request, limits(), { folder, signal, circumstances }))
    return inWordsOfOptions(() => about(input, () => inWorkFolder(tools.workFolders, make)))
  }
}

function soundChange(clip: Uint8Array) {
  const hasSound = readMovie(clip).movie?.tracks.some((track) => track.kind === 'audio')
  return hasSound ? 'no-sound' : 'silence'
}
