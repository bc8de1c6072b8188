import { join, parse, relative } from 'node:path'
import { wallClock } from '@lantern-room/formats'
import { readSourceMark, type SourceMark } from '@lantern-room/formats/files'
import { exifDateTime } from '@lantern-room/formats/time'
import { nearVideos, pairFiles, strangerOf, timeOfFiles } from '@lantern-room/media/files'
import { readFrom } from '@lantern-room/mp4/source'
import { printable } from '../../commandLine/readArguments'
import type { UserFiles } from '../compose'
import { failureOf } from '../failure'
import { localZone } from '../makeMotionPhoto'
import type { BatchCommand } from '../options/parseMotionPhotoCommand'
import { readOptions, readOrigin, type VideoOptions } from '../options/readOptions'
import { findFiles, type PassedOver } from './findFiles'
import { openPlan } from './openPlan'
import { type NameFamily, namesOf } from './outputNames'
import { type OutputPlan, overInput } from './outputPlan'
import { identityOf } from './sourceIdentity'
import type { FoundFile, Problem } from './survey'

/** A file, or a photo with its video: what becomes of it, or why nothing does. */
export type Thing = Named &
  (
    | { readonly video: VideoOptions; readonly problem?: undefined }
    | { readonly video?: undefined; readonly problem: Problem & { readonly output?: string } }
  )

type Named = { readonly label: string; readonly input: string; readonly photo?: string | undefined }

export type BatchPlan = { readonly things: readonly Thing[]; readonly passedOver: PassedOver }

/**
 * Decides what becomes of files and of what is in folders: pairs, motion photos and videos become photos. Nothing is written, and
 * nothing is decoded.
 * @throws UsageError, the signal's reason
 */
export async function planBatch(
  batch: BatchCommand,
  files: UserFiles,
  signal: AbortSignal,
): Promise<BatchPlan> {
  const { found, passedOver } = await findFiles(batch, files, signal)
  const plan = await openPlan([...found.map(({ path }) => path), ...batch.others], batch.report, files)
  const wished = await wishesOf(batch, found, files)
  const done = await chooseOutputs(
    wished.flatMap(({ wish }) => wish ?? []),
    { plan, files, signal },
  )
  const things = wished.map(({ named, wish, problem }): Thing => {
    const { label, input, photo } = named
    const decided = wish ? (done.get(wish) ?? { kind: 'refused', text: 'It was not planned.' }) : problem
    return 'kind' in decided
      ? { label, input, photo, problem: decided }
      : { label, input, photo, video: decided }
  })
  return { things, passedOver }
}

/** What is to become a photo, before its name is chosen. */
type Wish = {
  readonly label: string
  readonly options: VideoOptions
  readonly family: NameFamily
  /** What it is made of, first the file after which it is called. */
  readonly paths: readonly string[]
}

type Wished = { readonly named: Named } & (
  | { readonly wish: Wish; readonly problem?: undefined }
  | { readonly wish?: undefined; readonly problem: Problem }
)

async function wishesOf(
  batch: BatchCommand,
  found: readonly FoundFile[],
  files: UserFiles,
): Promise<readonly Wished[]> {
  const sound = found.filter(({ problem }) => !problem)
  const photos = sound.filter(({ kind }) => kind === 'photo')
  const videos = sound.filter(({ kind }) => kind === 'video')
  const pairs = pairFiles(photos, videos)
  const joined = new Set(pairs.values())
  const near = nearVideos(videos)
  const wished: Wished[] = []
  for (const file of found.filter((one) => !joined.has(one))) {
    const video = pairs.get(file)
    const label = labelOf(file) + (video ? ` + ${printable(parse(video.path).base)}` : '')
    const named = { label, input: (video ?? file).path, ...(video && { photo: file.path }) }
    const problem = problemOf(file, video, near)
    wished.push(
      problem ? { named, problem } : { named, wish: await wishOf({ file, video, label }, batch, files) },
    )
  }
  return wished
}

type Joined = { readonly file: FoundFile; readonly video: FoundFile | undefined; readonly label: string }

async function wishOf({ file, video, label }: Joined, batch: BatchCommand, files: UserFiles): Promise<Wish> {
  const { path, folder } = file
  const paths = video ? [path, video.path] : [path]
  const options = readOptions(batch.given, paths, batch.folder)
  const date = await dateOf({ file, video: video ?? file }, files)
  const place = folder === undefined ? batch.out : join(batch.out, relative(folder, parse(path).dir))
  const family = namesOf(batch.names, { path, date }, { folder: place, ending: endingOf(options, file) })
  const keepsFileTime = folder !== undefined
  const wanted = { ...options, input: options.input ?? path, mayEndEarlier: true, keepsFileTime }
  if (file.kind !== 'whole' || folder === undefined) return { label, options: wanted, family, paths }
  const origin = readOrigin(batch.given, 'all')
  return { label, options: { ...wanted, isWhole: true, origin }, family, paths }
}

/** A photo that is kept is called by its content: its own ending may lie. */
function endingOf(
  { ending, format, cover, coverFile }: ReturnType<typeof readOptions>,
  { isHeic }: FoundFile,
) {
  const isOwn = format === 'keep' && cover === undefined && coverFile === undefined
  return isOwn && isHeic !== undefined ? ending.replace(/\.(?:jpg|HEIC)$/, isHeic ? '.HEIC' : '.jpg') : ending
}

type Planning = { readonly plan: OutputPlan; readonly files: UserFiles; readonly signal: AbortSignal }
type Decided = VideoOptions | (Problem & { readonly output?: string })

/**
 * The photos that are there of these files keep their names, first those that are also called as their source is; all others get names
 * that are free. So numbers stay with their sources, whichever files come and go.
 */
async function chooseOutputs(
  wishes: readonly Wish[],
  { plan, files, signal }: Planning,
): Promise<ReadonlyMap<Wish, Decided>> {
  const done = new Map<Wish, Decided>()
  const identities = new Map<Wish, SourceMark>()
  const known = new Map<string, SourceMark | undefined>()
  for (const wish of wishes) {
    signal.throwIfAborted()
    const present = await plan.present(wish.family)
    for (const path of present) if (!known.has(path)) known.set(path, await markAt(path, files))
    if (present.every((path) => !known.get(path))) continue
    try {
      identities.set(wish, await identityOf(wish.paths, files))
    } catch (error) {
      done.set(wish, { kind: 'refused', text: failureOf(error).sentence })
    }
  }
  for (const isSame of [isOfNameAlso, isOfContent]) await keepPresent(isSame)
  for (const wish of wishes) if (!done.has(wish)) done.set(wish, await choose(wish))
  return done

  async function keepPresent(isSame: typeof isOfContent): Promise<void> {
    for (const [wish, identity] of identities) {
      if (done.has(wish)) continue
      const present = await plan.present(wish.family)
      const own = present.find((path) => !plan.isClaimed(path) && isSame(known.get(path), identity))
      if (own === undefined) continue
      plan.claim(own, wish.family, { label: wish.label, path: wish.paths[0] ?? '' })
      done.set(wish, await decide(wish, own, identity))
    }
  }

  async function decide(wish: Wish, output: string, sourceMark: SourceMark): Promise<Decided> {
    const { options } = wish
    if (!options.force) return { kind: 'skipped', text: 'is there already', output }
    const input = await plan.inputAt(output)
    if (input === undefined) return { ...options, output, sourceMark }
    return { kind: 'refused', text: overInput(input) }
  }

  async function choose(wish: Wish): Promise<Decided> {
    const { options, family, label, paths } = wish
    const isNobodys = async (path: string) => known.get(path) === undefined
    const rules = options.force ? { mayReplace: isNobodys } : {}
    const choice = await plan.choose(family, { label, path: paths[0] ?? '' }, rules)
    if (choice.problem !== undefined) return { kind: 'refused', text: choice.problem }
    const { path: output, isReplacing: force } = choice
    return { ...options, output, force, sourceMark: identities.get(wish) }
  }
}

/** What cannot be read, or says nothing, is of no source that is known. */
async function markAt(path: string, files: UserFiles): Promise<SourceMark | undefined> {
  try {
    const source = await files.openPhoto(path)
    return await readFrom(readSourceMark(source), source)
  } catch {
    return undefined
  }
}

function isOfContent(mark: SourceMark | undefined, identity: SourceMark): boolean {
  return mark?.content === identity.content
}

function isOfNameAlso(mark: SourceMark | undefined, identity: SourceMark): boolean {
  return isOfContent(mark, identity) && mark?.name === identity.name
}

function problemOf(
  file: FoundFile,
  video: FoundFile | undefined,
  near: (photo: FoundFile) => readonly FoundFile[],
): Problem | undefined {
  if (file.problem) return file.problem
  if (file.kind !== 'photo' || video) return undefined
  const videos = near(file)
  const stranger = strangerOf(file, videos)
  if (stranger !== undefined) return { kind: 'refused', text: stranger }
  // An iPhone keeps the picture as it was taken beside the edited one, and the video goes with that.
  const isEdited = videos.length > 0 && /^img_e\d/i.test(parse(file.path).base)
  if (isEdited)
    return { kind: 'skipped', text: 'the edited picture of a photo: name it with its video to use it' }
  return { kind: 'skipped', text: 'a photo without a video' }
}

/** As its clocks showed it: `20240506_070809`. By the rule by which the photo itself is dated. */
async function dateOf(
  { file, video }: { readonly file: FoundFile; readonly video: FoundFile },
  files: UserFiles,
): Promise<string> {
  const clocks = { photo: file.marks.clocks?.photo, video: video.marks.clocks?.video }
  const time = timeOfFiles(clocks, { fileName: parse(video.path).base, now: Date.now() })
  const unixMs = time?.unixMs ?? (await files.modificationTime(video.path).catch(() => 0))
  const offset = time?.isLocal ? 0 : (time?.offsetMinutes ?? localZone(unixMs))
  const written = exifDateTime(wallClock(new Date(unixMs), offset))
  return written.replaceAll(':', '').replace(' ', '_')
}

function labelOf({ path, folder }: FoundFile): string {
  return printable(folder === undefined ? parse(path).base : relative(folder, path) || path)
}
