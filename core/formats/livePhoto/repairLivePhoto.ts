import type { FileParts, Patch } from '@lantern-room/mp4/source'
import {
  FormatError,
  patchedParts,
  type Reading,
  readThrough,
  type Sized,
  shiftedParts,
  sizeOfParts,
  within,
} from '@lantern-room/mp4/source'
import { withIdentifier } from '../exif/makerNote'
import { patchExif } from '../exif/patchExif'
import { readMakerNote } from '../exif/readExif'
import { changeHeader, readImageHeader } from '../motionPhoto/imageHeader'
import type { Inspection } from '../motionPhoto/inspect'
import type { MotionPhoto } from '../motionPhoto/read'
import { findLivePair, inspectLivePhoto, type LivePair } from './inspectLivePhoto'
import type { ZipEntry } from './readZip'
import { planMovie } from './repairMovie'
import { type PlannedFile, planZip } from './zipParts'

export type LiveRepair = {
  /** A ZIP with the pair. */
  readonly parts: FileParts
  readonly size: number
  /** The photo, then the video. Ranges are those of the file that was read. */
  readonly files: readonly PlannedFile[]
  readonly before: Inspection
  readonly after: Inspection
}

/**
 * Plans a Live Photo of which photo and video have one identifier and one name, and the video says which moment the photo
 * shows. No pixel and no frame changes. A ZIP in which nothing is wrong comes out as it is.
 * @param newIdentifier a UUID in upper case, for a pair that has none
 * @throws FormatError as `inspectLivePhoto`; `irreparable` when it cannot be mended, with the reason
 */
export function* planLiveRepair(file: Sized, newIdentifier: string): Reading<LiveRepair> {
  const before = yield* inspectLivePhoto(file)
  const pair = yield* findLivePair(file)
  const { clip } = before
  const patches = clip?.renamed ? [clip.renamed] : []
  const codes = problemCodes(before)
  if (!clip) throw cannotBeMended(reasonOf(before, 'clip-unplayable'))
  const identifier = chooseIdentifier(before, newIdentifier)
  const needsMovie = codes.some((code) => MOVIE_PROBLEMS.has(code))
  const name = baseName(pair)
  const still = {
    name: name + endingOf(pair.still.name).toUpperCase(),
    parts: codes.includes('apple-photo') ? yield* mendStill(pair, identifier) : whole(pair.still),
  }
  const isTimed = !codes.includes('apple-still-time') && !codes.includes('timestamp-wrong')
  const stillTimeUs = isTimed ? undefined : Math.round((clip.durationSeconds / 2) * 1e6)
  const movie = {
    name: `${name}.MOV`,
    parts: needsMovie
      ? yield* mendMovie(pair.movie, patches, { identifier, stillTimeUs })
      : shiftedParts(patchedParts({ size: pair.movie.size }, patches), pair.movie.start),
  }
  const files = [still, movie]
  const parts = codes.length === 0 ? [{ start: 0, end: file.size }] : yield* planZip(files, pair.photo)
  const size = sizeOfParts(parts)
  return { parts, size, files, before, after: yield* readThrough(inspectLivePhoto({ size }), parts) }
}

const MOVIE_PROBLEMS: ReadonlySet<string> = new Set([
  'apple-video',
  'apple-identifier',
  'apple-still-time',
  'timestamp-wrong',
])

function problemCodes({ galleries }: Inspection): string[] {
  const apple = galleries.find(({ gallery }) => gallery === 'apple')
  return apple?.problems.map(({ code }) => code) ?? []
}

function reasonOf({ galleries }: Inspection, code: string): string {
  const problems = galleries.flatMap((verdict) => verdict.problems)
  return problems.find((problem) => problem.code === code)?.detail ?? 'Its video cannot be read.'
}

/** The photo's decides: it is harder to change. */
function chooseIdentifier({ pair }: Inspection, newIdentifier: string): string {
  return pair?.identifier || pair?.movieIdentifier || newIdentifier
}

/** Without folders, and without what some file system or header cannot take. */
function baseName({ still }: LivePair): string {
  const name = still.name.split(/[/\\]/).at(-1) ?? ''
  const plain = name.slice(0, name.length - endingOf(name).length).replaceAll(/[^\w .()-]/g, '_')
  return /^[^.]/.test(plain) ? plain.slice(0, 100) : 'IMG_0001'
}

function endingOf(name: string): string {
  return /\.\w{1,5}$/.exec(name)?.[0] ?? ''
}

function whole({ start, size }: ZipEntry): FileParts {
  return [{ start, end: start + size }]
}

function* mendStill({ photo, still }: LivePair, identifier: string): Reading<FileParts> {
  if (photo.format === 'heic') {
    throw cannotBeMended('Its photo is a HEIC without a content identifier, and only JPEGs get one.')
  }
  const image = yield* within(changeStill({ size: still.size }, photo, identifier), still.start)
  return shiftedParts(image, still.start)
}

/** The photo, with everything after its picture. */
function* changeStill(file: Sized, photo: MotionPhoto, identifier: string): Reading<FileParts> {
  if (photo.primaryLength === undefined) throw cannotBeMended('Its photo is cut or damaged.')
  const header = yield* readImageHeader(file, photo.segments)
  const { exif } = header.metadata
  const makerNote = withIdentifier(exif && readMakerNote(exif), identifier)
  if (!makerNote) {
    throw cannotBeMended(
      "Its photo has another maker's MakerNote, in the place where the identifier belongs.",
    )
  }
  const patched = patchExif(exif, { isXiaomi: false, comment: undefined, makerNote })
  const change = { exif: patched, xmp: undefined, mpf: false }
  const image = patched && changeHeader(header, photo.primaryLength, change)
  if (!image) throw cannotBeMended('The EXIF of its photo is damaged, or has no room for the identifier.')
  return [...image, { start: photo.primaryLength, end: file.size }]
}

/** @param patches of the same length in the index, which is written anew */
function* mendMovie(
  { start, size }: ZipEntry,
  patches: readonly Patch[],
  marks: Parameters<typeof planMovie>[1],
): Reading<FileParts> {
  const patched = patchedParts({ size }, patches)
  const parts = yield* within(readThrough(planMovie({ size }, marks), patched), start)
  if (!parts) throw cannotBeMended('The index of its video has metadata or numbers that cannot be changed.')
  return shiftedParts(parts, start)
}

function cannotBeMended(reason: string): FormatError {
  return new FormatError('irreparable', `The Live Photo cannot be mended. ${reason}`)
}
