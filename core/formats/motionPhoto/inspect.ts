import { FormatError, type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { VIDEO_PROBLEM_CODES } from '@lantern-room/mp4/video'
import { isHeicHead } from '../heic/heic'
import { GALLERIES, type Gallery } from '../profiles/profile'
import { type ClipFacts, type ClipProblem, readClip } from './clipFacts'
import { CHECK_NAMES, CHECK_TEXTS, CHECKS, type CheckName, GALLERY_RULES, type Subject } from './galleries'
import { isStillTime } from './presentation'
import { isMarked, type MotionPhoto, readPhoto } from './read'

export type GalleryVerdict = {
  readonly gallery: Gallery
  /** `unsure` where only what is disputed is missing. */
  readonly recognised: 'yes' | 'unsure' | 'no'
  /** It is recognised, and the clip is one that the gallery can play. */
  readonly plays: boolean
  /** Whether the moment of the still is given, and lies in the clip. */
  readonly timestamp: 'right' | 'missing' | 'wrong'
  /** Why it is not recognised, does not play, or starts at a wrong place. */
  readonly problems: readonly Problem[]
}

export type Problem = Omit<ClipProblem, 'code'> & { readonly code: ProblemCode }

/** Stable, for programs and translations: what a gallery wants, */
export const PROBLEM_CODES = [
  ...CHECK_NAMES,
  // what is wrong with the two files of a Live Photo, or with them for other galleries,
  'apple-photo',
  'apple-video',
  'apple-identifier',
  'apple-still-time',
  'apple-name',
  'live-photo',
  // and with the clip.
  'clip-unplayable',
  ...VIDEO_PROBLEM_CODES,
  'timestamp-missing',
  'timestamp-wrong',
] as const
export type ProblemCode = (typeof PROBLEM_CODES)[number]

export type Inspection = {
  readonly photo: MotionPhoto
  readonly clip: ClipFacts | undefined
  /** Set for a Live Photo: the identifiers of photo and video, and the moment of the video that the photo shows. */
  readonly pair?: {
    readonly identifier: string | undefined
    readonly movieIdentifier?: string | undefined
    readonly stillTimeUs: number | undefined
  }
  readonly galleries: readonly GalleryVerdict[]
}

/**
 * Judges a photo as the galleries of each phone maker would.
 * @throws FormatError `unknown-format` when it is no JPEG or HEIC, `no-video` when it is a photo without a video
 * @see docs/motion-photo.md, "What each gallery reads"
 * @example
 * const { galleries } = await readFrom(inspect(source), source)
 * const plays = galleries.filter((gallery) => gallery.recognised === 'yes' && gallery.plays)
 */
export function* inspect(file: Sized): Reading<Inspection> {
  const photo = yield* readPhoto(file)
  if (!photo) {
    const head = yield* take(file, 0, 12)
    checkPhotoHead(head)
    throw noPhoto(head)
  }
  if (!photo.clip && !isMarked(photo)) throw stillPhoto()
  const { clip, problem } = photo.clip ? yield* readClip(file, photo.clip) : { problem: undefined }
  const subject = { photo, clip }
  return { photo, clip, galleries: GALLERIES.map((gallery) => judge(gallery, subject, problem)) }
}

function judge(gallery: Gallery, subject: Subject, clipProblem: string | undefined): GalleryVerdict {
  const { ways, disputed = [], coverTime } = GALLERY_RULES[gallery]
  const failing = (names: readonly CheckName[]) => names.filter((name) => !CHECKS[name](subject))
  const failures = ways.map(failing)
  const isKnown = failures.some(({ length }) => length === 0)
  const [unmet = []] = isKnown ? [] : failures
  const doubts = failing(disputed)
  const recognised = !isKnown ? 'no' : doubts.length > 0 ? 'unsure' : 'yes'
  const timestamp = judgeStillTime(coverTime(subject), subject.clip)
  const missing = [...unmet, ...doubts]
  const faults = faultsFor(gallery, subject.clip)
  const isLost = missing.includes('has-clip') || gallery === 'apple'
  const problems = [
    ...missing.map(problemOf),
    ...(clipProblem === undefined ? [] : [unplayable(clipProblem)]),
    ...faults,
    ...(timestamp === 'right' || subject.clip === undefined ? [] : [TIME_PROBLEMS[timestamp]]),
  ]
  return {
    gallery,
    recognised,
    plays: isKnown && subject.clip !== undefined && faults.length === 0,
    timestamp,
    problems: isLost ? problems.filter(({ code }) => OF_LOST_CLIPS.includes(code)) : problems,
  }
}

/** The only problems to report where mending the others would not help. */
const OF_LOST_CLIPS: readonly ProblemCode[] = ['has-clip', 'apple-pair', 'clip-hev1']

/** What phones of one system alone mind: Apple's programs turn pictures by any matrix. */
const MINDED_BY_APPLE: Partial<Readonly<Record<ProblemCode, boolean>>> = {
  'clip-hev1': true,
  'clip-mirrored': false,
}

/** Why a gallery does not play a clip that it recognises. */
export function faultsFor(gallery: Gallery, clip: ClipFacts | undefined): Problem[] {
  const isApple = gallery === 'apple'
  return (clip?.problems ?? []).filter(({ code }) => (MINDED_BY_APPLE[code] ?? isApple) === isApple)
}

/** @param us of the clip, that the still shows; -1 is Google's word for not given */
export function judgeStillTime(
  us: number | undefined,
  clip: ClipFacts | undefined,
): GalleryVerdict['timestamp'] {
  if (us === undefined || us === -1) return 'missing'
  return isStillTime(us, clip?.durationSeconds ?? 0) ? 'right' : 'wrong'
}

function problemOf(code: CheckName): Problem {
  const { problem, repair } = CHECK_TEXTS[code]
  return { code, detail: problem, repair }
}

function unplayable(detail: string): Problem {
  return { code: 'clip-unplayable', detail, repair: undefined }
}

export const TIME_PROBLEMS = {
  missing: {
    code: 'timestamp-missing',
    detail: 'The file does not say which moment of the video the picture shows.',
    repair: 'give the middle of the video',
  },
  wrong: {
    code: 'timestamp-wrong',
    detail: 'The moment of the picture lies outside the video.',
    repair: 'move the moment of the picture into the video',
  },
} as const satisfies Readonly<Record<string, Problem>>

/**
 * Refuses a file by its first bytes.
 * @throws FormatError `empty` when there are none, `unknown-format`
 * @param head the first 12 bytes, or more
 * @example
 * checkPhotoHead(bytes.subarray(0, 12))
 */
export function checkPhotoHead(head: Uint8Array): void {
  if (head.length === 0) throw new FormatError('empty', 'The file is empty. Send a motion photo.')
  const isJpeg = head[0] === 0xff && head[1] === 0xd8
  if (!isJpeg && !isHeicHead(head)) throw noPhoto(head)
}

/** @param head the first bytes */
function noPhoto(head: Uint8Array): FormatError {
  const found = `The file is ${nameOf(head)}`
  return new FormatError(
    'unknown-format',
    `${found}. Send a motion photo: a JPEG or HEIC with a video in it.`,
  )
}

/** What a file is by its first bytes. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, 'a PNG'],
  [/^GIF8/, 'a GIF'],
  [/^RIFF....WEBP/s, 'a WebP'],
  [/^....ftyp/s, 'a video, of which a motion photo can be made'],
  [/^\x1aE\xdf\xa3/, 'a Matroska or WebM video, of which a motion photo can be made'],
  [/^PK\x03\x04/, 'a ZIP: send the photo in it'],
  [/^%PDF/, 'a PDF'],
]

function nameOf(head: Uint8Array): string {
  const text = String.fromCharCode(...head)
  return SIGNATURES.find(([signature]) => signature.test(text))?.[1] ?? 'neither a JPEG nor a HEIC'
}

function stillPhoto(): FormatError {
  return new FormatError(
    'no-video',
    'The file is a photo without a video in it, and nothing in it says that it ever had one. Send the original from the phone: chat programs and editors keep only the picture.',
  )
}
