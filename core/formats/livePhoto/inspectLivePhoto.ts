import { FormatError, type Reading, type Sized, within } from '@lantern-room/mp4/source'
import { type ClipFacts, readClip } from '../motionPhoto/clipFacts'
import {
  faultsFor,
  type GalleryVerdict,
  type Inspection,
  judgeStillTime,
  type Problem,
  TIME_PROBLEMS,
} from '../motionPhoto/inspect'
import { type MotionPhoto, readPhoto } from '../motionPhoto/read'
import { GALLERIES, type Gallery } from '../profiles/profile'
import { type LiveMarks, readLiveMovie } from './liveMovie'
import { readZip, STORED, type ZipEntry } from './readZip'

/**
 * Judges a ZIP with the photo and the video of a Live Photo as Apple's Photos would.
 * @throws FormatError `no-live-photo` when there is no such pair in it, `compressed`: see `openUnpacked`
 * @see docs/motion-photo.md, "Live Photo"
 */
export function* inspectLivePhoto(file: Sized): Reading<Inspection> {
  const pair = yield* findLivePair(file)
  const { photo, movie } = pair
  const whole = { offset: 0, length: movie.size }
  const { clip, problem } = yield* within(readClip({ size: movie.size }, whole), movie.start)
  const marks = yield* within(readLiveMovie({ size: movie.size }), movie.start)
  const identifier = photo.exif?.contentIdentifier
  const problems = problemsOf({ photo, marks, clip, haveOneName: haveOneName(pair) })
  if (problem) problems.push({ code: 'clip-unplayable', detail: problem, repair: undefined })
  problems.push(...faultsFor('apple', clip))
  const verdict = appleVerdict(problems, marks, clip)
  return {
    photo: { ...photo, size: file.size, clip: { offset: movie.start, length: movie.size } },
    clip,
    pair: { identifier, movieIdentifier: marks.identifier, stillTimeUs: marks.stillTimeUs },
    galleries: GALLERIES.map((gallery) => (gallery === 'apple' ? verdict : stillOnly(gallery))),
  }
}

/** Photo and video of a Live Photo. Places in `photo` count from its beginning. */
export type LivePair = { readonly photo: MotionPhoto; readonly still: ZipEntry; readonly movie: ZipEntry }

/**
 * Finds photo and video of a Live Photo in a ZIP. Places in the photo count from its beginning.
 * @throws FormatError `no-live-photo` when there is no such pair in it, `compressed`
 * @example
 * const { photo, movie } = await readFrom(findLivePair(zip), zip)
 */
export function* findLivePair(file: Sized): Reading<LivePair> {
  const { still, movie } = pairIn(yield* readZip(file))
  const photo = yield* within(readPhoto({ size: still.size }), still.start)
  if (!photo) throw noPair('Its photo is neither a JPEG nor a HEIC.')
  return { photo, still, movie }
}

const STILL = /\.(jpe?g|hei[cf])$/i
const MOVIE = /\.mov$/i
/** What a Mac adds to archives. */
const RESIDUE = /(^|\/)(__MACOSX\/|\._)/

/** Whether a file in a ZIP may be a Live Photo's photo or video. */
export function isPairFile({ name }: Pick<ZipEntry, 'name'>): boolean {
  return !RESIDUE.test(name) && (STILL.test(name) || MOVIE.test(name))
}

function pairIn(entries: readonly ZipEntry[] | undefined): { still: ZipEntry; movie: ZipEntry } {
  if (!entries) throw noPair('Its directory is damaged, or it is too large.')
  const real = entries.filter(isPairFile)
  const movies = real.filter(({ name }) => MOVIE.test(name))
  const stills = real.filter(({ name }) => STILL.test(name))
  const { still = stills[0], movie = movies[0] } = namedAlike(movies, stills) ?? {}
  if (!movie || !still) throw noPair('It has no photo (JPEG or HEIC) with a video (MOV).')
  if (movies.length * stills.length > 1 && !haveOneName({ still, movie })) {
    throw noPair('It has several photos or videos, and no photo has the name of a video.')
  }
  if (movie.method !== STORED || still.method !== STORED) {
    throw new FormatError(
      'compressed',
      'The files in the ZIP are compressed. Pack them without compression (zip -0): they do not get smaller.',
    )
  }
  return { still, movie }
}

/** The first movie that has the name of a photo. Names are compared once each: an archive may have hundreds of both. */
function namedAlike(movies: readonly ZipEntry[], stills: readonly ZipEntry[]) {
  const byName = new Map(stills.toReversed().map((still) => [still.name.replace(STILL, ''), still]))
  const pairs = movies.map((movie) => ({ movie, still: byName.get(movie.name.replace(MOVIE, '')) }))
  return pairs.find(({ still }) => still !== undefined)
}

function haveOneName({ still, movie }: Pick<LivePair, 'still' | 'movie'>): boolean {
  return still.name.replace(STILL, '') === movie.name.replace(MOVIE, '')
}

type Subject = {
  readonly photo: MotionPhoto
  readonly marks: LiveMarks
  readonly clip: ClipFacts | undefined
  readonly haveOneName: boolean
}

type PairCheck = Problem & { readonly isWrong: (subject: Subject) => boolean }

const PAIR_CHECKS: readonly PairCheck[] = [
  {
    code: 'apple-photo',
    isWrong: ({ photo }) => !photo.exif?.contentIdentifier,
    detail: "The photo's MakerNote has no content identifier (0x0011).",
    repair: "write the identifier into the photo's MakerNote (not of a HEIC)",
  },
  {
    code: 'apple-video',
    isWrong: ({ marks }) => !marks.identifier,
    detail: 'The video has no com.apple.quicktime.content.identifier.',
    repair: 'write the identifier into the video',
  },
  {
    code: 'apple-identifier',
    isWrong: ({ photo: { exif }, marks }) =>
      Boolean(exif?.contentIdentifier && marks.identifier && exif.contentIdentifier !== marks.identifier),
    detail: 'The identifiers of photo and video differ.',
    repair: "write the photo's identifier into the video",
  },
  {
    code: 'apple-still-time',
    isWrong: ({ marks }) => marks.stillTimeUs === undefined,
    detail: 'The video has no track com.apple.quicktime.still-image-time.',
    repair: 'add the track, with the middle of the video',
  },
  {
    ...TIME_PROBLEMS.wrong,
    isWrong: ({ marks, clip }) => judgeStillTime(marks.stillTimeUs, clip) === 'wrong',
  },
  {
    code: 'apple-name',
    isWrong: ({ haveOneName: isOne }) => !isOne,
    detail: 'Photo and video have different names, by which some programs join them.',
    repair: "give the video the photo's name",
  },
]

function problemsOf(subject: Subject): Problem[] {
  return PAIR_CHECKS.filter(({ isWrong }) => isWrong(subject)).map(
    ({ isWrong: _isWrong, ...problem }) => problem,
  )
}

const NEEDED: ReadonlySet<Problem['code']> = new Set([
  'apple-photo',
  'apple-video',
  'apple-identifier',
] as const)
/** Mac's Photos joins pairs without the track; an iPhone does not. By names, some programs join them. */
const DISPUTED: ReadonlySet<Problem['code']> = new Set(['apple-still-time', 'apple-name'] as const)

function appleVerdict(
  problems: readonly Problem[],
  { stillTimeUs }: LiveMarks,
  clip: ClipFacts | undefined,
): GalleryVerdict {
  const isPair = !problems.some(({ code }) => NEEDED.has(code))
  const isUnsure = problems.some(({ code }) => DISPUTED.has(code))
  return {
    gallery: 'apple',
    recognised: !isPair ? 'no' : isUnsure ? 'unsure' : 'yes',
    plays: isPair && clip !== undefined && faultsFor('apple', clip).length === 0,
    timestamp: judgeStillTime(stillTimeUs, clip),
    problems,
  }
}

function stillOnly(gallery: Gallery): GalleryVerdict {
  return {
    gallery,
    recognised: 'no',
    plays: false,
    timestamp: 'missing',
    problems: [
      {
        code: 'live-photo',
        detail: 'The video is in a file of its own, and this gallery shows the photo as a still.',
        repair: undefined,
      },
    ],
  }
}

function noPair(reason: string): FormatError {
  return new FormatError('no-live-photo', `The ZIP is no Live Photo. ${reason}`)
}
