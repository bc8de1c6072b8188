import { ServiceError } from '#core/errors'
import { type Clip, readClip } from '../motionPhoto/clipFacts'
import { GALLERIES, type Gallery } from '../motionPhoto/galleryNames'
import { type GalleryVerdict, type Inspection, judgeStillTime, type Problem } from '../motionPhoto/inspect'
import { type MotionPhoto, readPhoto } from '../motionPhoto/read'
import { type Reading, within } from '../reading'
import { type LiveMarks, readLiveMovie } from './readLiveMovie'
import { readZip, type ZipEntry } from './readZip'

/**
 * Judges a ZIP with the photo and the video of a Live Photo as Apple's Photos would.
 * @throws ServiceError `unprocessable` when there is no such pair in it, or it is compressed
 * @see docs/motion-photo.md, "Live Photo"
 */
export function* inspectLivePhoto(file: { readonly size: number }): Reading<Inspection> {
  const { photo, movie } = yield* findLivePair(file)
  const whole = { offset: 0, length: movie.size }
  const { clip, problem } = yield* within(readClip({ size: movie.size }, whole), movie.start)
  const marks = yield* within(readLiveMovie({ size: movie.size }), movie.start)
  const identifier = photo.exif?.contentIdentifier
  const problems = [...pairProblems(identifier, marks), ...(problem ? [unplayable(problem)] : [])]
  const verdict = appleVerdict(problems, marks, clip)
  return {
    photo: { ...photo, size: file.size, clip: { offset: movie.start, length: movie.size } },
    clip,
    pair: { identifier, stillTimeUs: marks.stillTimeUs },
    galleries: GALLERIES.map((gallery) => (gallery === 'apple' ? verdict : stillOnly(gallery))),
  }
}

/**
 * Finds photo and video of a Live Photo in a ZIP. Places in the photo count from its beginning.
 * @throws ServiceError `unprocessable` when there is no such pair in it, or it is compressed
 */
export function* findLivePair(file: {
  readonly size: number
}): Reading<{ readonly photo: MotionPhoto; readonly still: ZipEntry; readonly movie: ZipEntry }> {
  const { still, movie } = pairIn(yield* readZip(file))
  const photo = yield* within(readPhoto({ size: still.size }), still.start)
  if (!photo) throw noPair('Its photo is neither a JPEG nor a HEIC.')
  return { photo, still, movie }
}

const STILL = /\.(jpe?g|hei[cf])$/i
const MOVIE = /\.mov$/i
/** What a Mac adds to archives. */
const RESIDUE = /(^|\/)(__MACOSX\/|\._)/

function pairIn(entries: readonly ZipEntry[] | undefined): { still: ZipEntry; movie: ZipEntry } {
  if (!entries) throw noPair('Its directory is damaged, or it is too large.')
  const real = entries.filter(({ name }) => !RESIDUE.test(name))
  const movie = real.find(({ name }) => MOVIE.test(name))
  const base = movie?.name.replace(MOVIE, '')
  const stills = real.filter(({ name }) => STILL.test(name))
  const still = stills.find(({ name }) => name.replace(STILL, '') === base) ?? stills[0]
  if (!movie || !still) throw noPair('It has no photo (JPEG or HEIC) with a video (MOV).')
  if (movie.isCompressed || still.isCompressed) {
    throw new ServiceError(
      'unprocessable',
      'The files in the ZIP are compressed. Pack them without compression (zip -0): they do not get smaller.',
    )
  }
  return { still, movie }
}

function pairProblems(identifier: string | undefined, marks: LiveMarks): Problem[] {
  const problem = (code: Problem['code'], detail: string): Problem => ({ code, detail, repair: undefined })
  return [
    ...(identifier
      ? []
      : [problem('apple-photo', "The photo's MakerNote has no content identifier (0x0011).")]),
    ...(marks.identifier
      ? []
      : [problem('apple-video', 'The video has no com.apple.quicktime.content.identifier.')]),
    ...(identifier && marks.identifier && identifier !== marks.identifier
      ? [problem('apple-identifier', 'The identifiers of photo and video differ.')]
      : []),
    ...(marks.stillTimeUs === undefined
      ? [problem('apple-still-time', 'The video has no track com.apple.quicktime.still-image-time.')]
      : []),
  ]
}

function unplayable(detail: string): Problem {
  return { code: 'clip-unplayable', detail, repair: undefined }
}

function appleVerdict(
  problems: readonly Problem[],
  { stillTimeUs }: LiveMarks,
  clip: Clip | undefined,
): GalleryVerdict {
  const isPair = problems.every(({ code }) => code === 'clip-unplayable' || code === 'apple-still-time')
  // Mac's Photos joins pairs without the track; an iPhone does not.
  const isUnsure = problems.some(({ code }) => code === 'apple-still-time')
  return {
    gallery: 'apple',
    recognised: !isPair ? 'no' : isUnsure ? 'unsure' : 'yes',
    plays: isPair && clip !== undefined,
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

function noPair(reason: string): ServiceError {
  return new ServiceError('unprocessable', `The ZIP is no Live Photo. ${reason}`)
}
