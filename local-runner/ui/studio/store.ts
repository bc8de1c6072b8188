import { effect, signal } from '@preact/signals'
import { ask, askJson, postJson, RequestProblem } from '../shared/ask'
import { common } from '../shared/texts'
import { isTokenNeeded } from '../shared/token'
import { type Cut, firstCut } from './photo/cut'
import { type Choice, makePhoto, type Photo } from './photo/makePhoto'
import { options } from './photo/options'
import type { Progress, SessionRecord } from './photo/records'
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

export const session = signal<SessionRecord | undefined>(undefined)
export const fileName = signal('')
export const cut = signal<Cut>(firstCut(0))
export const speed = signal(1)
export const keepsSound = signal(true)
export const isOriginal = signal(false)
export const photos = signal<readonly Photo[]>([])
/** Bytes of the preview. */
export const previewBytes = signal<number | undefined>(undefined)
/** The work in progress; undefined if idle. */
export const work = signal<Progress | undefined>(undefined)
export const problem = signal<Problem | undefined>(undefined)
export const remembered = signal(readRemembered(localStorage.getItem(KEY), Date.now() / 1000))

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

export const openFile = (file: File, name: string) =>
  doWork(async (stopped) => {
    const made = await sendFile(file, stopped, (progress) => {
      work.value = progress
    })
    remembered.value = withSession(remembered.value, {
      id: made.session_id,
      name,
      expiresAt: made.expires_at,
    })
    edit(made, name)
  })

export const openRemembered = ({ id, name }: RememberedSession) =>
  doWork(async () => {
    const found = await askJson<SessionRecord>(`sessions/${id}`).catch((error: unknown) => {
      if (error instanceof RequestProblem && error.code === 'not-found') forget(id)
      throw error
    })
    edit(found, name)
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
    const from = session.value
    if (from === undefined) return
    work.value = { stage: 'converting' }
    const choice: Choice = {
      cut: cut.value,
      speed: speed.value,
      keepsSound: keepsSound.value,
      isOriginal: isOriginal.value,
      options: options.value,
    }
    const photo = await makePhoto(from, choice, stopped).catch((error: unknown) => {
      if (error instanceof RequestProblem && error.code === 'not-found') forget(from.session_id)
      throw error
    })
    photos.value = [photo, ...photos.value]
  })

export function closeEditor(): void {
  session.value = undefined
  problem.value = undefined
  for (const { addresses } of photos.value) {
    for (const address of addresses) URL.revokeObjectURL(address)
  }
  photos.value = []
}

function edit(opened: SessionRecord, name: string): void {
  fileName.value = name
  cut.value = firstCut(opened.frames)
  speed.value = 1
  keepsSound.value = opened.has_audio
  options.value = { ...options.value, cover: 'time', coverFile: undefined, repeat: 1 }
  previewBytes.value = undefined
  session.value = opened
  void ask(previewOf(opened), { method: 'HEAD' }).then(({ headers }) => {
    previewBytes.value = Number(headers.get('Content-Length')) || undefined
  }, noEstimate)
}

/** Without the preview's size there is no estimate. */
function noEstimate(): void {}

export function previewOf({ session_id: id }: SessionRecord): string {
  return `preview/${id}.mp4`
}

export function stripOf({ session_id: id }: SessionRecord): string {
  return `sessions/${id}/strip.jpg`
}

function forget(id: string): void {
  remembered.value = withoutSession(remembered.value, id)
}

/** A failure as a person reads it: in the page's language, and in the service's own words where these say more. */
type Problem = { readonly sentence: string; readonly detail: string | undefined }

function problemOf(error: unknown): Problem {
  if (!(error instanceof RequestProblem)) throw error
  if (error.code === 'unreachable') return { sentence: common('unreachable'), detail: undefined }
  const known = KNOWN.find((code) => code === error.code)
  const own = known === undefined ? '' : say(known)
  return own === '' ? { sentence: error.detail, detail: undefined } : { sentence: own, detail: error.detail }
}
