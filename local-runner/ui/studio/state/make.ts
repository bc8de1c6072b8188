import type { OutputProfile } from '#core/media/convert/outputFiles'
import { RequestProblem } from '../../shared/ask'
import { FPS } from '../photo/cut'
import type { LocalVideo } from '../photo/localVideo'
import { makeLocalPhoto, needsService } from '../photo/makeLocalPhoto'
import { type Choice, makePhoto, type Photo } from '../photo/makePhoto'
import { options, PLAIN } from '../photo/options'
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

/** Makes the photo that is looked at anew, for another phone: all of its clip, with its own still. */
export const makeOfExamined = (profile: OutputProfile) =>
  doWork(async (stopped) => {
    if (!examined.value) return
    const session = await send(examined.value.file, examined.value.name, stopped)
    work.value = { stage: 'converting' }
    const { frames, has_audio: keepsSound } = session
    const range = { start: 0, end: frames, cover: Math.floor(frames / 2) }
    const cover = session.has_still ? 'source' : 'time'
    show(await order(session, { ...PLAIN, profile, keepsSound, cover, cut: range }, stopped))
  })

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
  work.value = { stage: 'converting' }
  if (!video.local) return order(video.session, chosen, stopped)
  const made = needsService(chosen, video.has_audio)
    ? undefined
    : await makeLocalPhoto(video.local, chosen).catch(() => undefined)
  return made ?? sendAndOrder(video.local, name, chosen, stopped)
}

async function order(from: SessionRecord, chosen: Choice, stopped: AbortSignal): Promise<Photo> {
  return makePhoto(from, chosen, stopped).catch((error: unknown) => {
    if (error instanceof RequestProblem && error.code === 'not-found') forget(from.session_id)
    throw error
  })
}

/** The service prepares ten minutes of a video unless it is told otherwise. */
const MAX_PREPARED_FRAMES = 600 * FPS
/** What was sent of the video on this device, and the frame of the video with which it begins. */
let sent: { readonly of: LocalVideo; readonly session: SessionRecord; readonly first: number } | undefined

/** What this browser cannot do, the service does: then the video is sent, once for all photos of it. */
async function sendAndOrder(
  local: LocalVideo,
  name: string,
  chosen: Choice,
  stopped: AbortSignal,
): Promise<Photo> {
  const { start, end, cover } = chosen.cut
  if (sent?.of !== local || start < sent.first || end > sent.first + sent.session.frames) {
    const seconds = local.frames > MAX_PREPARED_FRAMES ? Math.max(0, Math.floor(start / FPS) - 1) : 0
    const session = await send(local.file, name, stopped, seconds)
    sent = { of: local, session, first: seconds * FPS }
    work.value = { stage: 'converting' }
  }
  const { session, first } = sent
  const moved = { start: start - first, end: Math.min(end - first, session.frames), cover: cover - first }
  return order(session, { ...chosen, cut: moved, isOriginal: true }, stopped).catch((error: unknown) => {
    if (error instanceof RequestProblem && error.code === 'not-found') sent = undefined
    throw error
  })
}
