import type { OutputProfile } from '@lantern-room/media/browser'
import { RequestProblem } from '../../shared/ask'
import { leadToWrong } from '../../shared/Field'
import { FPS, lengthOf } from '../photo/cut'
import { type Examined, momentOf } from '../photo/examine'
import { inWorker } from '../photo/inWorker'
import type { LocalVideo } from '../photo/localVideo'
import { makeLocalPhoto, needsService, needsWhole } from '../photo/makeLocalPhoto'
import { type Choice, makePhoto, type Photo } from '../photo/makePhoto'
import { nameWith } from '../photo/naming'
import { isCoverMissing, options, PLAIN } from '../photo/options'
import type { SessionRecord } from '../photo/records'
import { send } from './open'
import {
  cut,
  doWork,
  examined,
  fileName,
  forget,
  isUnsaved,
  type Opened,
  opened,
  photos,
  work,
} from './store'

/** Makes a photo of the video that is open, with what is chosen. @param profile for another phone, this time */
export const convert = (profile = options.value.profile) =>
  doWork(async (stopped) => {
    if (opened.value === undefined) return
    const chosen = { ...options.value, profile, cut: cut.value }
    show(await makeOf(opened.value, fileName.value, chosen, stopped))
  })

/** Makes the photo that is looked at anew, for another phone: all of its clip and its tags, with its own still at its moment. */
export const makeOfExamined = (profile: OutputProfile) =>
  doWork(async (stopped) => {
    if (!examined.value) return
    const session = await send(examined.value.file, examined.value.name, stopped)
    show(await makeOfWhole(session, profile, examined.value, stopped))
  })

/** All of what the service has of a photo: its clip and its tags, with its own still at its moment. */
export async function makeOfWhole(
  session: SessionRecord,
  profile: OutputProfile,
  photo: Examined | undefined,
  stopped: AbortSignal,
): Promise<Photo> {
  work.value = { stage: 'converting' }
  const { frames, has_audio: keepsSound } = session
  const moment = photo && momentOf(photo, frames)
  const range = { start: 0, end: frames, cover: moment ?? Math.floor(frames / 2) }
  const cover = session.has_still ? 'source' : 'time'
  const own = { cover, metadata: 'all', isOwnMoment: session.has_still } as const
  const choice = { ...PLAIN, ...own, profile, keepsSound, cut: range }
  return named(await order(session, choice, stopped), choice, keepsSound)
}

function show(photo: Photo): void {
  photos.value = [photo, ...photos.value]
  isUnsaved.value = true
}

/** Makes a photo of a video, here if it can be. @throws RequestProblem */
export async function makeOf(
  video: Opened,
  name: string,
  chosen: Choice,
  stopped: AbortSignal,
): Promise<Photo> {
  refuseUnmakable(chosen)
  work.value = { stage: 'converting' }
  return named(await makeAnyOf(video, name, chosen, stopped), chosen, video.has_audio)
}

/** Galleries are made for the few seconds that phones record. */
const MAX_SECONDS = 30

/** @throws RequestProblem for what no phone would show, or where something is missing that was asked for */
function refuseUnmakable({ cut: range, speed, repeat, cover, coverFile }: Choice): void {
  if (cover === 'file' && !coverFile) {
    isCoverMissing.value = true
    requestAnimationFrame(() => leadToWrong(document.body))
    throw new RequestProblem('cover-missing', '')
  }
  if (lengthOf(range, speed) * repeat > MAX_SECONDS + 1 / FPS) throw new RequestProblem('too-long', '')
}

async function makeAnyOf(video: Opened, name: string, chosen: Choice, stopped: AbortSignal): Promise<Photo> {
  if (!video.local) return order(video.session, chosen, stopped)
  const made = needsService(chosen, video.local)
    ? undefined
    : await makeLocalPhoto(video.local, chosen).catch(() => undefined)
  return made ?? sendAndOrder(video.local, name, chosen, stopped)
}

/** The photo under a name of its own, with what was chosen for it. */
function named(photo: Photo, choice: Choice, hasSound: boolean): Photo {
  const taken = new Set(photos.value.map(({ name }) => name.toLowerCase()))
  return { ...photo, name: nameWith(photo.name, choice, hasSound, taken), choice }
}

async function order(from: SessionRecord, chosen: Choice, stopped: AbortSignal): Promise<Photo> {
  return makePhoto(from, chosen, stopped).catch((error: unknown) => {
    if (error instanceof RequestProblem && error.code === 'not-found') forget(from.session_id)
    throw error
  })
}

/** The service prepares ten minutes of a video unless it is told otherwise. */
const MAX_PREPARED_FRAMES = 600 * FPS
/** What was sent of the video on this device, and which frames of it. */
let sent:
  | {
      readonly of: LocalVideo
      readonly session: SessionRecord
      readonly start: number
      readonly end: number
      readonly isWhole: boolean
    }
  | undefined

/**
 * What this browser cannot do, the service does: then the range is sent, or all of the video where the range cannot be copied, once
 * for all photos of it.
 */
async function sendAndOrder(
  local: LocalVideo,
  name: string,
  chosen: Choice,
  stopped: AbortSignal,
): Promise<Photo> {
  const part = needsWhole(chosen, local)
    ? undefined
    : await inWorker('part', local.file, local.clocks, chosen).catch(() => undefined)
  if (!sent || !isEnough(sent, local, chosen, part !== undefined)) {
    const { start, end } = chosen.cut
    const seconds = local.frames > MAX_PREPARED_FRAMES ? Math.max(0, Math.floor(start / FPS) - 1) : 0
    const session = await send(part?.video ?? local.file, name, stopped, part ? 0 : seconds)
    const range = part ? { start, end } : { start: seconds * FPS, end: seconds * FPS + session.frames }
    sent = { of: local, session, ...range, isWhole: !part }
    work.value = { stage: 'converting' }
  }
  const { session, start: first } = sent
  const { start, end, cover } = chosen.cut
  const moved = { start: start - first, end: Math.min(end - first, session.frames), cover: cover - first }
  const origin = sent.isWhole ? undefined : part
  return order(session, { ...chosen, cut: moved, origin }, stopped).catch((error: unknown) => {
    if (error instanceof RequestProblem && error.code === 'not-found') sent = undefined
    throw error
  })
}

/** Whether a photo can be made of what was sent already. @param isPart whether its range would do */
function isEnough(
  { of, session, start, end, isWhole }: NonNullable<typeof sent>,
  local: LocalVideo,
  { cut: wanted, keepsSound }: Choice,
  isPart: boolean,
): boolean {
  const isHeard = session.has_audio || !local.sound || !keepsSound
  return of === local && wanted.start >= start && wanted.end <= end && (isWhole || (isPart && isHeard))
}
