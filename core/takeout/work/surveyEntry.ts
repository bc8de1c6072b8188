import { asciiBytes, hasBytesAt } from '@lantern-room/base/bytes'
import { crc32, readPhoto } from '@lantern-room/formats/browser'
import { type StillSurvey, surveyStill } from '@lantern-room/formats/words'
import { readVideoMarks, type VideoMarks } from '@lantern-room/media/browser'
import { type ByteSource, rangedSource, readFrom } from '@lantern-room/mp4/source'
import { type NameKind, partsOf } from '../names/nameParts'
import { baseOf } from '../names/paths'

/** What a file of an export is by its content. */
export type Survey = {
  readonly kind: 'photo' | 'video' | 'other'
  /** Of its size and first bytes: files of another one are no copies of it. */
  readonly likeness: string
  /** Undefined of what is no JPEG or HEIC. */
  readonly still: StillSurvey | undefined
  readonly marks: VideoMarks
  /** The clip of a motion photo. */
  readonly clip: { readonly offset: number; readonly length: number } | undefined
}

const UNMARKED: VideoMarks = {
  identifier: undefined,
  time: undefined,
  stillTimeUs: undefined,
  seconds: undefined,
}
const HEAD_BYTES = 64 * 1024
const LIKENESS_BYTES = 16 * 1024
/** That of a pair has some megabytes. */
const MAX_CLIP_BYTES = 256 * 1024 * 1024

/** @throws what the source throws, the signal's reason */
export async function surveyEntry(path: string, source: ByteSource, signal: AbortSignal): Promise<Survey> {
  const { size } = source
  const head = await source.read(0, Math.min(HEAD_BYTES, size))
  const cached = withHead(source, head)
  const likeness = `${size} ${crc32(head.subarray(0, LIKENESS_BYTES))}`
  const name = partsOf(baseOf(path)).kind
  const still = name === 'video' ? undefined : await readFrom(surveyStill(cached), cached, signal, HEAD_BYTES)
  if (still) {
    const { identifier, clocks } = still
    const marks = { ...UNMARKED, identifier, time: clocks.time, clocks: { photo: clocks } }
    const photo = still.isMarked ? await readFrom(readPhoto(cached), cached, signal) : undefined
    return { kind: 'photo', likeness, still, marks, clip: photo?.clip }
  }
  const isMovie =
    hasBytesAt(head, 4, asciiBytes('ftyp')) ||
    MOVIE_BOXES.some((type) => hasBytesAt(head, 4, asciiBytes(type)))
  const kind = kindOf(name, isMovie)
  const marks =
    isMovie && size <= MAX_CLIP_BYTES
      ? await readFrom(readVideoMarks(cached), cached, signal, HEAD_BYTES)
      : UNMARKED
  return { kind, likeness, still: undefined, marks, clip: undefined }
}

/** Old movies of QuickTime begin so. */
const MOVIE_BOXES = ['moov', 'wide', 'mdat', 'skip', 'free']

function kindOf(name: NameKind, isMovie: boolean): Survey['kind'] {
  if (name === 'picture') return 'photo'
  if (name === 'video' || isMovie) return 'video'
  return 'other'
}

/** The first bytes are asked for again and again. */
function withHead(source: ByteSource, head: Uint8Array): ByteSource {
  return rangedSource(source.size, async (start, end) =>
    end <= head.length ? head.subarray(start, end) : source.read(start, end),
  )
}
