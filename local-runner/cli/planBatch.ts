import { join, parse, relative } from 'node:path'
import { exifDateTime, wallClock } from '#core/formats/exif/wallClock'
import { withoutPhotoMark } from '#core/media/capture/fileName'
import { printable } from '../commandLine/readArguments'
import type { UserFiles } from './compose'
import { type FoundFile, findFiles } from './findFiles'
import { localZone } from './makeMotionPhoto'
import type { BatchCommand } from './options/parseMotionPhotoCommand'
import { readOptions, readOrigin, type VideoOptions } from './options/readOptions'
import { nearVideos, pairFiles, strangerOf } from './pairFiles'

/** A file, or a photo with its video: what becomes of it, or why nothing does. */
export type Thing = { readonly label: string } & (
  | { readonly video: VideoOptions; readonly problem?: undefined }
  | { readonly video?: undefined; readonly problem: Problem }
)

type Problem = { readonly kind: 'skipped' | 'refused'; readonly text: string }

/**
 * Decides what becomes of files and of what is in folders: pairs, motion photos and videos become photos.
 * @throws UsageError, the signal's reason
 */
export async function planBatch(
  batch: BatchCommand,
  files: UserFiles,
  signal: AbortSignal,
): Promise<Thing[]> {
  const found = await findFiles(batch, files, signal)
  const photos = found.filter(({ kind }) => kind === 'photo')
  const videos = found.filter(({ kind }) => kind === 'video')
  const pairs = pairFiles(photos, videos)
  const joined = new Set(pairs.values())
  const near = nearVideos(videos)
  const outputs = new Set<string>()
  const things: Thing[] = []
  for (const file of found.filter((one) => !joined.has(one))) {
    const video = pairs.get(file)
    const label = labelOf(file) + (video ? ` + ${printable(parse(video.path).base)}` : '')
    const options = problemOf(file, video, near) ?? (await optionsOf(file, video))
    things.push('kind' in options ? { label, problem: options } : { label, video: options })
  }
  return things

  async function optionsOf(file: FoundFile, video: FoundFile | undefined): Promise<VideoOptions | Problem> {
    const { path, folder } = file
    const options = readOptions(batch.given, video ? [path, video.path] : [path], '/')
    const { dir, name, ext } = parse(path)
    const stem = withoutPhotoMark(name)
    const date = await dateOf(file.marks.time ? file : (video ?? file), files)
    const n = String(outputs.size + 1).padStart(4, '0')
    const place = folder === undefined ? batch.out : join(batch.out, relative(folder, dir))
    const output = [stem, `${stem}_${ext.slice(1)}`]
      .map((own) => join(place, filled(batch.names, { name: own, date, n }) + options.ending))
      .find((one) => !outputs.has(one))
    if (output === undefined) return { kind: 'refused', text: 'another one has its name: add {n} to --names' }
    outputs.add(output)
    const keepsFileTime = folder !== undefined
    const wanted = { ...options, input: options.input ?? path, output, mayEndEarlier: true, keepsFileTime }
    if (file.kind !== 'whole' || folder === undefined) return wanted
    return { ...wanted, isWhole: true, origin: readOrigin(batch.given, 'all') }
  }
}

function problemOf(
  file: FoundFile,
  video: FoundFile | undefined,
  near: (photo: FoundFile) => readonly FoundFile[],
): Problem | undefined {
  if (file.error) return { kind: 'refused', text: file.error.detail }
  if (file.kind !== 'photo' || video) return undefined
  const stranger = strangerOf(file, near(file))
  if (stranger !== undefined) return { kind: 'refused', text: printable(stranger) }
  return { kind: 'skipped', text: 'a photo without a video' }
}

function filled(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
}

/** As its clocks showed it: `20240506_070809`. */
async function dateOf({ path, marks: { time } }: FoundFile, files: UserFiles): Promise<string> {
  const unixMs = time?.unixMs ?? (await files.modificationTime(path).catch(() => 0))
  const offset = time?.isLocal ? 0 : (time?.offsetMinutes ?? localZone(unixMs))
  const written = exifDateTime(wallClock(new Date(unixMs), offset))
  return written.replaceAll(':', '').replace(' ', '_')
}

function labelOf({ path, folder }: FoundFile): string {
  return printable(folder === undefined ? parse(path).base : relative(folder, path) || path)
}
