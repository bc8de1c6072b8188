import { effect, signal } from '@preact/signals'
import { RequestProblem } from '../../shared/ask'
import { isTokenNeeded } from '../../shared/token'
import { type Cut, firstCut, type Handle, type View, viewAround } from '../photo/cut'
import type { Examined } from '../photo/examine'
import type { LocalVideo } from '../photo/localVideo'
import type { Photo } from '../photo/makePhoto'
import type { PhotoOptions } from '../photo/options'
import type { Edited, Progress, SessionRecord } from '../photo/records'
import { readRemembered, withoutSession } from '../photo/records'
import { reasonOfRefusal } from '../words/problems'
import { say, sayKnown } from '../words/texts'

const KEY = 'sessions'

/** The video that is edited: of a session of the service, or of this device. */
export type Opened = Edited & { readonly player: HTMLVideoElement } & (
    | { readonly session: SessionRecord; readonly local?: undefined }
    | { readonly local: LocalVideo; readonly session?: undefined }
  )

export const opened = signal<Opened | undefined>(undefined)
/** The photo that is looked at. */
export const examined = signal<Examined | undefined>(undefined)
/** Whether there is a service, which the page of a web server need not have: asked when a photo is looked at. */
export const isServed = signal(false)
export const fileName = signal('')
export const cut = signal<Cut>(firstCut(0))
/** What the strip with the handles shows of a long video; it stays while something is dragged. */
export const view = signal<View | undefined>(undefined)
/** What a finger or the mouse holds of the track or the picture. */
export const held = signal<Handle | 'range' | 'crop' | undefined>(undefined)
export const photos = signal<readonly Photo[]>([])
/** Whether there are photos that were not downloaded. */
export const isUnsaved = signal(false)

/** A file among several. */
export type Listed = {
  readonly file: File
  readonly name: string
  /** `fine` is a motion photo with which nothing has to be done. */
  readonly state: 'waiting' | 'making' | 'made' | 'saved' | 'refused' | 'fine'
  /** Why it is refused, or waits. */
  readonly reason?: string | undefined
  /** The address of a small picture. */
  readonly thumbnail?: string | undefined
  /** The address of what moves: of a motion photo, or of a Live Photo before it is one file. */
  readonly clip?: string | undefined
  /** The photo of a Live Photo, whose video the file is, and the moment of the video that it shows. */
  readonly still?: { readonly file: File; readonly momentUs: number | undefined } | undefined
  /** Of a motion photo: where it plays. */
  readonly examined?: Examined | undefined
  /** What was chosen in the editor. Without it the middle of the video is taken. */
  readonly cut?: Cut | undefined
  readonly options?: PhotoOptions | undefined
  /** Where the service has the video. */
  readonly session?: SessionRecord | undefined
  /** The newest first. */
  readonly photos: readonly Photo[]
}

export const list = signal<readonly Listed[]>([])
/** The file of the list that is open. */
export const openOfList = signal<File | undefined>(undefined)

const LOSES_NOTHING: ReadonlySet<Listed['state']> = new Set(['saved', 'refused', 'fine'])

/** Whether something is lost when the page is left. */
export function isLosing(): boolean {
  return isUnsaved.value || list.value.some(({ state }) => !LOSES_NOTHING.has(state))
}
/** Bytes of the preview. */
export const previewBytes = signal<number | undefined>(undefined)
/** The work in progress; undefined if idle. */
export const work = signal<Progress | undefined>(undefined)
export const problem = signal<Problem | undefined>(undefined)
export const remembered = signal(readRemembered(localStorage.getItem(KEY), Date.now() / 1000))

effect(() => {
  window.onbeforeunload = isLosing() ? (event) => event.preventDefault() : null
})
effect(() => localStorage.setItem(KEY, JSON.stringify(remembered.value)))

let stopping = new AbortController()

export function cancel(): void {
  stopping.abort()
}

/** Does one thing at a time; a failure of it is shown. @param name of the file that it is about, where the page does not show it */
export async function doWork(task: (signal: AbortSignal) => Promise<void>, name?: string): Promise<void> {
  if (work.value !== undefined) return
  stopping = new AbortController()
  const { signal: stopped } = stopping
  problem.value = undefined
  try {
    await task(stopped)
  } catch (error) {
    if (!stopped.aborted && !isTokenNeeded.value) {
      problem.value = { ...problemOf(error), name, step: stepAfter(error, () => doWork(task, name)) }
    }
  } finally {
    work.value = undefined
  }
}

/** Sets the range, and shows what is around it. */
export function setCut(next: Cut, frames: number): void {
  cut.value = next
  view.value = viewAround(next, frames)
}

export function stripOf({ session_id: id }: SessionRecord): string {
  return `sessions/${id}/strip.jpg`
}

export function forget(id: string): void {
  remembered.value = withoutSession(remembered.value, id)
}

/** A failure as a person reads it, in the page's language. */
type Problem = {
  readonly sentence: string
  /** Of the file that it is about. */
  readonly name?: string | undefined
  /** What a person may do next, by its word. */
  readonly step?: { readonly word: 'again' | 'reload'; readonly act: () => unknown } | undefined
}

/** Codes of what may be over the next time. */
const PASSING: ReadonlySet<string> = new Set([
  'unreachable',
  'too-busy',
  'unavailable',
  'internal',
  'conflict',
])

/** To try once more, or to load the page anew, where that may help. */
function stepAfter(error: unknown, again: () => Promise<void>): Problem['step'] {
  if (error instanceof RequestProblem && error.code === 'page-outdated') {
    return { word: 'reload', act: () => location.reload() }
  }
  return passes(error) ? { word: 'again', act: again } : undefined
}

function passes(error: unknown): boolean {
  return error instanceof RequestProblem ? PASSING.has(error.code) : !(error instanceof DOMException)
}

export function problemOf(error: unknown): Problem {
  if (error instanceof DOMException) return { sentence: say('fileGone') }
  if (!(error instanceof RequestProblem)) {
    reportError(error)
    return { sentence: say('unknownProblem') }
  }
  const own = reasonOfRefusal(error) ?? sayKnown(error.code)
  return { sentence: own ?? say('unknownProblem') }
}
