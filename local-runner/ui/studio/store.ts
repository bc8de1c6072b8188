import { effect, signal } from '@preact/signals'
import { ask, askJson, postJson, RequestProblem } from '../shared/ask'
import { language } from '../shared/language'
import { common } from '../shared/texts'
import { isTokenNeeded } from '../shared/token'
import { type Cut, FPS, firstCut, type View, viewAround } from './photo/cut'
import { type Examined, examine, isPhoto } from './photo/examine'
import { type LocalVideo, localStrip, openLocal } from './photo/localVideo'
import { makeLocalPhoto, needsService, type ServiceChoice } from './photo/makeLocalPhoto'
import { type Choice, formOf, makePhoto, nameOf, type Photo } from './photo/makePhoto'
import { options } from './photo/options'
import type { Edited, Progress, SessionRecord } from './photo/records'
import { type RememberedSession, readRemembered, withoutSession, withSession } from './photo/records'
import { sendFile } from './photo/sendFile'
import { say } from './texts'

/** Failures that the page has words of its own for. */
const KNOWN = [
  'invalid-request',
  'not-found',
  'conflict',
  'payload-too-large',
  'unsupported-media',
  'out-of-range',
  'unprocessable',
  'too-busy',
  'internal',
  'unavailable',
  'timeout',
] as const
const KEY = 'sessions'

/** The video that is edited: of a session of the service, or of this device. */
export type Opened = Edited &
  (
    | { readonly session: SessionRecord; readonly local?: undefined }
    | { readonly local: LocalVideo; readonly session?: undefined }
  )

export const opened = signal<Opened | undefined>(undefined)
/** The photo that is looked at. */
export const examined = signal<Examined | undefined>(undefined)
export const fileName = signal('')
export const cut = signal<Cut>(firstCut(0))
/** What the strip with the handles shows of a long video; it stays while something is dragged. */
export const view = signal<View | undefined>(undefined)
export const speed = signal(1)
export const keepsSound = signal(true)
export const isOriginal = signal(true)
export const photos = signal<readonly Photo[]>([])
/** Whether there are photos that were not downloaded. */
export const isUnsaved = signal(false)
/** Bytes of the preview. */
export const previewBytes = signal<number | undefined>(undefined)
/** The work in progress; undefined if idle. */
export const work = signal<Progress | undefined>(undefined)
export const problem = signal<Problem | undefined>(undefined)
export const remembered = signal(readRemembered(localStorage.getItem(KEY), Date.now() / 1000))

effect(() => {
  window.onbeforeunload = isUnsaved.value ? (event) => event.preventDefault() : null
})
effect(() => localStorage.setItem(KEY, JSON.stringify(remembered.value)))

let stopping = new AbortController()

export function cancel(): void {
  stopping.abort()
}

/** Does one thing at a time; a failure of it is shown. */
async function doWork(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (work.value !== undefined) return
  stopping = new AbortController()
  const { signal: stopped } = stopping
  problem.value = undefined
  try {
    await task(stopped)
  } catch (error) {
    if (!stopped.aborted && !isTokenNeeded.value) problem.value = problemOf(error)
  } finally {
    work.value = undefined
  }
}

/** Whether nothing is lost by leaving what is edited, or the person does not mind. */
function mayLeave(): boolean {
  return !isUnsaved.value || window.confirm(say('replaceAsk'))
}

/** Takes a file in place of what is edited. */
export function takeFile(file: File | undefined): void {
  if (!file) problem.value = { sentence: say('notAFile'), detail: undefined }
  else if (file.size === 0) problem.value = { sentence: say('emptyFile'), detail: undefined }
  else if (work.value === undefined && closeEditor()) void openFile(file, file.name || say('pasted'))
}

const openFile = (file: File, name: string) =>
  doWork(async (stopped) => {
    work.value = { stage: 'reading' }
    if (await isPhoto(file)) {
      examined.value = await examine(file, name)
      return
    }
    const local = await openLocal(file)
    if (local) edit(ofDevice(local), name)
    else edit(ofService(await send(file, name, stopped)), name)
  })

/** Opens the video of the photo that is looked at, with its own still, which the service reads. */
export const openExamined = () =>
  doWork(async (stopped) => {
    const photo = examined.value
    if (!photo) return
    edit(ofService(await send(photo.file, photo.name, stopped)), photo.name)
    examined.value = undefined
  })

/** Saves what the service makes of the photo that is looked at. @param path of an endpoint that answers with a file */
export const saveFromService = (path: 'repair' | 'extract', fields: Readonly<Record<string, string>> = {}) =>
  doWork(async (stopped) => {
    const photo = examined.value
    if (!photo) return
    work.value = { stage: 'converting' }
    const body = formOf(photo.file, photo.name, fields)
    const response = await ask(path, { method: 'POST', body, signal: stopped })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(await response.blob())
    link.download = nameOf(response) ?? photo.name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  })

async function send(file: File, name: string, stopped: AbortSignal, from = 0): Promise<SessionRecord> {
  const onProgress = (progress: Progress) => {
    work.value = progress
  }
  const made = await sendFile(file, stopped, onProgress, from)
  remembered.value = withSession(remembered.value, {
    id: made.session_id,
    name,
    expiresAt: made.expires_at,
  })
  return made
}

function ofService(session: SessionRecord): Opened {
  return { ...session, session }
}

function ofDevice(local: LocalVideo): Opened {
  const { width, height, frames, hasSound } = local
  return { local, width, height, frames, has_audio: hasSound, has_still: false, strip: localStrip(local) }
}

export const openRemembered = ({ id, name }: RememberedSession) =>
  doWork(async () => {
    const found = await askJson<SessionRecord>(`sessions/${id}`).catch((error: unknown) => {
      if (error instanceof RequestProblem && error.code === 'not-found') forget(id)
      throw error
    })
    edit(ofService(found), name)
  })

export const removeRemembered = ({ id }: RememberedSession) =>
  doWork(async () => {
    await postJson('cleanup', { session_id: id }).catch((error: unknown) => {
      if (!(error instanceof RequestProblem && error.code === 'not-found')) throw error
    })
    forget(id)
  })

export const convert = () =>
  doWork(async (stopped) => {
    const from = opened.value
    if (from === undefined) return
    work.value = { stage: 'converting' }
    const photo = from.local
      ? await convertLocal(from.local, stopped)
      : await order(from.session, choice(), stopped)
    photos.value = [photo, ...photos.value]
    isUnsaved.value = true
  })

/** Why the service has to make the photo of a video on this device, as far as it is known before. */
export function reasonForService(): ServiceChoice | undefined {
  return opened.value?.local && needsService(choice(), opened.value.has_audio)
}

function choice(): Choice {
  return {
    cut: cut.value,
    speed: speed.value,
    keepsSound: keepsSound.value,
    isOriginal: isOriginal.value,
    options: options.value,
  }
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
let sent: { readonly session: SessionRecord; readonly first: number } | undefined

/** What this browser cannot do, the service does: then the video is sent, once for all photos of it. */
async function convertLocal(local: LocalVideo, stopped: AbortSignal): Promise<Photo> {
  const chosen = choice()
  const made = reasonForService() ? undefined : await makeLocalPhoto(local, chosen).catch(() => undefined)
  if (made) return made
  const { start, end, cover } = chosen.cut
  if (!sent || start < sent.first || end > sent.first + sent.session.frames) {
    const seconds = local.frames > MAX_PREPARED_FRAMES ? Math.max(0, Math.floor(start / FPS) - 1) : 0
    sent = { session: await send(local.file, fileName.value, stopped, seconds), first: seconds * FPS }
    work.value = { stage: 'converting' }
  }
  const { session, first } = sent
  const moved = { start: start - first, end: Math.min(end - first, session.frames), cover: cover - first }
  return order(session, { ...chosen, cut: moved, isOriginal: true }, stopped).catch((error: unknown) => {
    if (error instanceof RequestProblem && error.code === 'not-found') sent = undefined
    throw error
  })
}

/** @returns whether it is closed */
export function closeEditor(): boolean {
  if (!mayLeave()) return false
  if (opened.value?.local) URL.revokeObjectURL(opened.value.local.address)
  opened.value = undefined
  examined.value = undefined
  sent = undefined
  problem.value = undefined
  for (const { addresses } of photos.value) {
    for (const address of addresses) URL.revokeObjectURL(address)
  }
  photos.value = []
  isUnsaved.value = false
  return true
}

function edit(video: Opened, name: string): void {
  fileName.value = name
  setCut(firstCut(video.frames), video.frames)
  speed.value = 1
  keepsSound.value = video.has_audio
  options.value = { ...options.value, cover: 'time', coverFile: undefined, repeat: 1 }
  previewBytes.value = video.local?.file.size
  opened.value = video
  if (video.local) return
  void ask(addressOf(video), { method: 'HEAD' }).then(({ headers }) => {
    previewBytes.value = Number(headers.get('Content-Length')) || undefined
  }, noEstimate)
}

/** Sets the range, and shows what is around it. */
export function setCut(next: Cut, frames: number): void {
  cut.value = next
  view.value = viewAround(next, frames)
}

/** Without the preview's size there is no estimate. */
function noEstimate(): void {}

/** Where the page's player finds the video. */
export function addressOf({ local, session }: Opened): string {
  return local ? local.address : `preview/${session.session_id}.mp4`
}

export function stripOf({ session_id: id }: SessionRecord): string {
  return `sessions/${id}/strip.jpg`
}

function forget(id: string): void {
  remembered.value = withoutSession(remembered.value, id)
}

/** A failure as a person reads it: in the page's language, and in the service's own words where these are in it. */
type Problem = { readonly sentence: string; readonly detail: string | undefined }

function problemOf(error: unknown): Problem {
  if (!(error instanceof RequestProblem)) throw error
  if (error.code === 'unreachable') return { sentence: common('unreachable'), detail: undefined }
  const known = KNOWN.find((code) => code === error.code)
  const own = say(known ?? 'unknownProblem')
  const detail = language.value === 'en' ? error.detail : undefined
  return own === '' ? { sentence: error.detail, detail: undefined } : { sentence: own, detail }
}
