import { RequestProblem } from '../../shared/ask'
import { FPS } from '../photo/cut'
import type { LocalVideo } from '../photo/localVideo'
import { makeLocalPhoto, needsService, type ServiceChoice } from '../photo/makeLocalPhoto'
import { type Choice, makePhoto, type Photo } from '../photo/makePhoto'
import { options, type PhotoOptions } from '../photo/options'
import type { SessionRecord } from '../photo/records'
import { send } from './open'
import { cut, doWork, fileName, forget, isUnsaved, type Opened, opened, photos, work } from './store'

export const convert = () =>
  doWork(async (stopped) => {
    if (opened.value === undefined) return
    const chosen = { ...options.value, cut: cut.value }
    const photo = await makeOf(opened.value, fileName.value, chosen, stopped)
    photos.value = [photo, ...photos.value]
    isUnsaved.value = true
  })

/** Makes a photo of a video, here if it can be. @throws RequestProblem */
export async function makeOf(
  video: Opened,
  name: string,
  chosen: Choice,
  stopped: AbortSignal,
): Promise<Photo> {
  work.value = { stage: 'converting' }
  if (!video.local) return order(video.session, chosen, stopped)
  const made = reasonForService(video, chosen)
    ? undefined
    : await makeLocalPhoto(video.local, chosen).catch(() => undefined)
  return made ?? sendAndOrder(video.local, name, chosen, stopped)
}

/** Why the service has to make the photo of a video on this device, as far as it is known before. */
export function reasonForService(video: Opened, chosen: PhotoOptions): ServiceChoice | undefined {
  return video.local && needsService(chosen, video.has_audio)
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
