import { version, type Words } from '@lantern-room/base'
import {
  assembleMotionPhoto,
  exifOffset,
  extractStill,
  inspect,
  motionPhotoProfileNamed,
  type ProblemCode,
  planRepair,
  presentationTimestampUs,
  surveyMovie,
  unixTimeOf,
} from '@lantern-room/formats/browser'
import {
  captureOf,
  chooseOrigin,
  clocksOfMovie,
  describeInspection,
  type InspectionSummary,
  UNKNOWN_CAPTURE,
} from '@lantern-room/media/browser'
import { type Movie, stampTimes } from '@lantern-room/mp4'
import { cutClip, cutSource, isCopyable, originOf } from '@lantern-room/mp4/clip'
import {
  blobSource,
  type FileParts,
  FormatError,
  type Reading,
  rangedSource,
  readFrom,
} from '@lantern-room/mp4/source'
import { formatsOf, readCodedStream } from '@lantern-room/mp4/video'
import { collect } from '../../shared/memory'
import { isExport } from '../takeout/openExport'
import { press, takeOut } from '../takeout/session'
import reasonWords from '../words/reasons.json'
import { calmestStart } from './calm'
import { FPS } from './cut'
import { lacksIndex, secondsThere } from './incomplete'
import type { Choice } from './makePhoto'
import { findPairs, joinPair, zipFiles } from './pairs'
import { indexOf, keepIndex, usePixels, useTilesOf } from './pictures'
import { stillsOf } from './stills'
import { weigh, weighPreview, weighStill } from './weigh'

/** The script that is loaded after the page was drawn, and works beside it: all that reads and writes files. */

/** What the page asks of it, by its name. What fails is told to the page. */
const tasks = {
  survey,
  tiles,
  judge,
  make,
  part,
  mend,
  findPairs,
  joinPair,
  zipFiles,
  weigh,
  weighPreviewOf,
  takePart,
  weighStill,
  isExport,
  takeOut,
  press,
  reasons,
}
export type Tasks = typeof tasks

addEventListener('message', ({ data: { id, name, args, isByParts } }) => {
  const task: (...args: never[]) => Promise<unknown> = tasks[name as keyof Tasks]
  const tell = (part: unknown, transfer: Transferable[]) => postMessage({ id, part }, { transfer })
  task(...((isByParts ? [...args, tell] : args) as never[]))
    .then(
      (value) => postMessage({ id, value }),
      (error) => postMessage({ id, error }),
    )
    .then(collect)
    .catch(() => undefined)
})

type MovieClocks = ReturnType<typeof clocksOfMovie>

/** A range is no shorter. */
const LEAST_SECONDS = 0.1
/** Of a new cut. */
const USUAL_SECONDS = 3

/**
 * What a video says of itself.
 * @returns `incomplete` where nothing of it can be shown, since the file ends too early; undefined where it cannot be copied: the work is
 *   the service's
 */
async function survey(file: File) {
  const { movie, tags, isEncrypted } = await surveyMovie(blobSource(file)).catch(() => NOTHING)
  if (!movie && (await lacksIndex(file))) return 'incomplete'
  const endsSeconds = movie && secondsThere(movie, file.size)
  if (endsSeconds !== undefined && endsSeconds < LEAST_SECONDS) return 'incomplete'
  if (!movie || !tags || isEncrypted || !canBeCopied(movie, file.size)) return undefined
  keepIndex(file, movie)
  const sound = movie.tracks.find(({ kind }) => kind === 'audio')
  const pictures = movie.tracks.find(({ kind }) => kind === 'video')
  const calmest = pictures && calmestStart(pictures)
  const isAbsent = endsSeconds !== undefined && endsSeconds < (calmest ?? 0) + USUAL_SECONDS
  return {
    /** Undefined where nothing is much calmer than the middle. */
    calmestSeconds: isAbsent ? undefined : calmest,
    /** Undefined where all of the video is in the file. */
    endsSeconds,
    sound: sound && (isCopyable(sound, file.size) ? 'copied' : 'other'),
    clocks: clocksOfMovie(tags),
  } as const
}

type Tile = { readonly at: number; readonly picture: ImageBitmap }

/**
 * What is shown at several moments, small: each is told by its place in the list once it is there.
 * @param within seconds in which a key frame will do
 * @returns how many were told; the others take a player
 */
async function tiles(
  file: File,
  moments: readonly number[],
  size: Parameters<typeof useTilesOf>[2],
  within: number,
  tell?: (tile: Tile, transfer: Transferable[]) => void,
): Promise<number> {
  let told = 0
  await useTilesOf(file, moments, size, within, async (at, pixels) => {
    const picture = await createImageBitmap(pixels)
    tell?.({ at, picture }, [picture])
    told += 1
  })
  return told
}

/** A part of a preview that the page is asked to read: this script's policy lets it send no request. */
export type WantedPart = { readonly part: number; readonly start: number; readonly end: number }

const wantedParts = new Map<number, (bytes: ArrayBuffer | undefined) => void>()
let partsAsked = 0

/** As `weighPreview`. @param size of the preview, in bytes, where it is known. @param tell tells of each part that is read */
async function weighPreviewOf(
  {
    address,
    size,
    frames,
  }: { readonly address: string; readonly size: number | undefined; readonly frames: number },
  range: Parameters<typeof weighPreview>[2],
  shown: Parameters<typeof weighPreview>[3],
  chosen: Parameters<typeof weighPreview>[4],
  tell?: (wanted: WantedPart, transfer: Transferable[]) => void,
): Promise<number | undefined> {
  const read = (start: number, end: number) =>
    new Promise<Uint8Array>((resolve, reject) => {
      partsAsked += 1
      wantedParts.set(partsAsked, (bytes) =>
        bytes?.byteLength === end - start
          ? resolve(new Uint8Array(bytes))
          : reject(new Error('The preview cannot be read in parts.')),
      )
      tell?.({ part: partsAsked, start, end }, [])
    })
  const preview = size === undefined ? undefined : { address, ...rangedSource(size, read) }
  return weighPreview(preview, frames, range, shown, chosen)
}

/** Takes a part from the page; undefined where it cannot be had. */
async function takePart(part: number, bytes?: ArrayBuffer): Promise<void> {
  wantedParts.get(part)?.(bytes)
  wantedParts.delete(part)
}

const NOTHING = { movie: undefined, tags: undefined, isEncrypted: false }
/** More than that the screen shows otherwise than the photo: a still needs its tones mapped. */
const BITS_OF_A_STILL = 8
/** Of a player and of a cut: they count from the same moment. */
const SAME_ORIGIN_SECONDS = 0.001

/** Whether there is one video in it, of a kind that phones decode. Which of several is meant is for the service to choose. */
function canBeCopied(movie: Movie, fileBytes: number): boolean {
  const [track, ...others] = movie.tracks.filter(({ kind }) => kind === 'video')
  if (!track || others.length > 0 || track.samples.count < 2 || originOf(movie) > SAME_ORIGIN_SECONDS) {
    return false
  }
  const coded = readCodedStream(track.sampleEntry)
  const formats = coded ? formatsOf(coded, coded.sets) : []
  if (formats.some((format) => !format || format.bitDepth > BITS_OF_A_STILL)) return false
  const range = { stream: 0, start: 0, end: Math.min(1, track.durationSeconds), speed: 1 }
  return cutSource(movie, range, fileBytes).cut !== undefined
}

/** @returns undefined for a picture that no gallery takes for a motion photo */
async function judge(file: Blob): Promise<InspectionSummary | undefined> {
  const found = await readFrom(inspect(file), blobSource(file)).catch(() => undefined)
  return found && describeInspection(found)
}

const REASONS = reasonWords satisfies Readonly<Record<ProblemCode, Words>>

/** Why galleries do not play a photo. */
function reasons(): Promise<Readonly<Record<ProblemCode, Words>>> {
  return Promise.resolve(REASONS)
}

/** A photo mended, or its still, without a pixel that changes. @returns the reason where that cannot be done */
async function mend(file: File, what: 'repair' | 'still'): Promise<Blob | string> {
  try {
    const reading: Reading<{ readonly parts: FileParts }> =
      what === 'still' ? extractStill(file) : planRepair(file, 'universal')
    const { parts } = await readFrom(reading, blobSource(file))
    const pieces = parts.map((part) => (part instanceof Uint8Array ? part : file.slice(part.start, part.end)))
    return new Blob(pieces as BlobPart[], { type: file.type })
  } catch (error) {
    if (error instanceof FormatError) return error.message
    throw error
  }
}

/**
 * Copies the clip out of a file.
 * @returns with it the moment of the file whose picture is its still; undefined where pictures or sound cannot be copied
 */
async function cut(file: File, { cut: { start, end, cover }, speed, keepsSound }: Choice) {
  const from = start / FPS
  const range = { stream: 0, start: from, end: end / FPS, speed, mute: !keepsSound }
  const clip = await cutClip(blobSource(file), range, await indexOf(file))
  if (!clip.mp4 || clip.lacksSound) return undefined
  const timestampUs = presentationTimestampUs((cover - start) / FPS / speed, clip.times)
  const shown = clip.times.findIndex((time) => Math.abs(time * 1e6 - timestampUs) <= 1)
  const next = clip.times[shown + 1] ?? (end - start) / FPS / speed
  return { mp4: clip.mp4, timestampUs, stillSeconds: from + ((timestampUs / 1e6 + next) / 2) * speed }
}

/**
 * The range alone as a video, for what the service has to do.
 * @returns with it when its cover was taken; undefined where pictures or sound cannot be copied
 */
async function part(file: File, clocks: MovieClocks, choice: Choice) {
  const { start, end } = choice.cut
  const clip = await cutClip(blobSource(file), { stream: 0, start: start / FPS, end: end / FPS, speed: 1 })
  if (!clip.mp4 || (clip.lacksSound && choice.keepsSound)) return undefined
  const { name, takenAt } = describe(file, clocks, choice)
  const { offsetMinutes = 0 } = takenAt ?? {}
  const capturedAt =
    takenAt &&
    new Date(unixTimeOf(takenAt) + offsetMinutes * 60_000)
      .toISOString()
      .replace('Z', exifOffset(takenAt) ?? '')
  const video = new File([clip.mp4 as Uint8Array<ArrayBuffer>], `${name}.mp4`, { type: 'video/mp4' })
  return { name, capturedAt, video }
}

/**
 * Makes the motion photo of a range, whose clip is copied out of the file, and says where it plays.
 * @param taken its stills where a player has to show them
 * @returns the moment of its still where they are needed; undefined where pictures or sound cannot be copied
 */
async function make(
  file: File,
  clocks: MovieClocks,
  choice: Choice,
  taken?: Awaited<ReturnType<typeof stillsOf>>,
) {
  const clip = await cut(file, choice)
  const stills = taken ?? (clip && (await usePixels(file, clip.stillSeconds, stillsOf)))
  if (!clip || !stills) return clip?.stillSeconds
  const { mp4, timestampUs } = clip
  const { cover, thumbnail } = stills
  const { name, ...origin } = describe(file, clocks, choice)
  if (origin.takenAt) stampTimes(mp4, unixTimeOf(origin.takenAt))
  const bytes = assembleMotionPhoto({
    ...origin,
    cover,
    thumbnail,
    profile: motionPhotoProfileNamed(choice.profile) ?? 'universal',
    clip: mp4,
    presentationTimestampUs: timestampUs,
    software: `Lantern Room ${version}`,
  })
  const photo = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/jpeg' })
  const inspection = await judge(photo)
  const shown = new Blob([stills.shown], { type: 'image/jpeg' })
  return inspection && { name: `${name}_MP.jpg`, file: photo, shown, inspection }
}

/** When it was taken and what it is called, as the service says it. */
function describe(file: File, clocks: MovieClocks, { metadata, cut: { start, end, cover } }: Choice) {
  const now = Date.now()
  const capture = captureOf({ ...UNKNOWN_CAPTURE, clocks }, undefined, { fileName: file.name, now })
  const plan = { startFrame: start, sourceFrames: end - start, coverFrame: cover }
  return chooseOrigin({ metadata, capturedAt: undefined, timeZone: undefined }, capture, {
    cover: { plan, firstFrame: 0, isOwn: false, stillSeconds: undefined },
    now,
    fileTime: file.lastModified,
    localZone: (unixMs) => -new Date(unixMs).getTimezoneOffset(),
  })
}
