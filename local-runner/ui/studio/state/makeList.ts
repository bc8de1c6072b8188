import { RequestProblem } from '../../shared/ask'
import { isTokenNeeded } from '../../shared/token'
import { FPS, shownTime, usualCut } from '../photo/cut'
import { findingsOf, isPhoto } from '../photo/examine'
import { inWorker } from '../photo/inWorker'
import { type Photo, shownPhoto } from '../photo/makePhoto'
import { options, PLAIN } from '../photo/options'
import { presetOf } from '../photo/preset'
import type { SessionRecord } from '../photo/records'
import { say } from '../words/texts'
import { change, isLearnt } from './list'
import { makeOf, makeOfWhole } from './make'
import { closeVideo, hasService, openFile, openVideo, send } from './open'
import { cut, doWork, type Listed, list, opened, problemOf, work } from './store'

/** Whether *Make all* makes a photo of it; also of one that failed before. */
export function isToMake({ state, file }: Listed): boolean {
  return state === 'waiting' || (state === 'refused' && file.size > 0)
}

/** Makes the photos one after the other, also of files that come meanwhile. */
export const makeAll = () =>
  doWork(async (stopped) => {
    const tried = new Set<File>()
    work.value = { stage: 'reading' }
    await isLearnt()
    while (!stopped.aborted && !isTokenNeeded.value) {
      const next = list.value.find((one) => isToMake(one) && !tried.has(one.file))
      if (!next) break
      tried.add(next.file)
      change(next.file, { state: 'making', reason: undefined })
      change(next.file, await makeListed(next, stopped))
    }
    if (!stopped.aborted) goOnWhenServed()
  })

const ASK_AGAIN_MS = 3000
let timer: ReturnType<typeof setTimeout> | undefined
/** How many were waiting after the last try. */
let waited = 0
/** How long it is until the next one. */
let pauseMs = 0

/** Makes what waits for the service once that answers again; later each time where it answers, and takes no file. */
function goOnWhenServed(): void {
  const { length } = list.value.filter(waitsForService)
  pauseMs = length === waited ? 2 * pauseMs : ASK_AGAIN_MS
  waited = length
  askLater()
}

function askLater(): void {
  clearTimeout(timer)
  if (!list.value.some(waitsForService)) return
  timer = setTimeout(async () => {
    if (work.value === undefined && (await hasService())) await makeAll()
    else askLater()
  }, pauseMs)
}

export function waitsForService({ state, reason }: Listed): boolean {
  return state === 'waiting' && reason === say('waitsForService')
}

/** @returns what has become of it: a failure is of this file alone */
async function makeListed(listed: Listed, stopped: AbortSignal): Promise<Partial<Listed>> {
  try {
    work.value = { stage: 'reading' }
    if (listed.examined) return await mendListed(listed)
    const photo = await (listed.still && !listed.options ? makeWhole : makeCut)(listed, stopped)
    if (!photo) return { state: 'refused', reason: say('isPhoto') }
    return { state: 'made', photos: [photo, ...listed.photos] }
  } catch (error) {
    if (stopped.aborted || isTokenNeeded.value) return { state: 'waiting' }
    // What needs no service is made all the same.
    if (error instanceof RequestProblem && error.code === 'unreachable') {
      return { state: 'waiting', reason: say('waitsForService') }
    }
    return { state: 'refused', reason: problemOf(error).sentence, session: undefined }
  }
}

/** A motion photo with the marks of all phones. Nothing of it is sent. */
async function mendListed({ file, name, photos, examined }: Listed): Promise<Partial<Listed>> {
  const made = await inWorker('mend', file, 'repair')
  const inspection = typeof made === 'string' ? undefined : await inWorker('judge', made)
  if (typeof made === 'string' || !inspection) {
    return { state: 'refused', reason: say(examined ? findingsOf(examined).state : 'unknownProblem') }
  }
  const shown = { name, file: made, shown: made, inspection, isSource: true, profile: 'universal' } as const
  return { state: 'made', reason: undefined, photos: [shownPhoto(shown), ...photos] }
}

/** Of a Live Photo: all of its video, with its own still and all its tags. */
async function makeWhole(listed: Listed, stopped: AbortSignal): Promise<Photo> {
  const session = await sessionOfPair(listed, stopped)
  return makeOfWhole(session, options.value.profile, undefined, stopped)
}

/** @returns undefined of a photo without a video */
async function makeCut(listed: Listed, stopped: AbortSignal): Promise<Photo | undefined> {
  const { file, name } = listed
  if (!listed.session && (await isPhoto(file))) return undefined
  const session = listed.still ? await sessionOfPair(listed, stopped) : listed.session
  const video = await openVideo(file, name, stopped, session)
  const ends = video.local?.endsSeconds
  const reason = ends === undefined ? undefined : say('isIncomplete', shownTime(ends))
  change(file, { session: video.session, reason })
  const own = listed.options ?? { ...PLAIN, keepsSound: video.has_audio, ...presetOf(video) }
  const chosen = {
    ...own,
    profile: options.value.profile,
    cut: listed.cut ?? usualCut(video.frames, video.local?.calmestSeconds),
  }
  return makeOf(video, name, chosen, stopped).finally(() => closeVideo(video))
}

/** Sends the two files of a Live Photo, once. */
async function sessionOfPair(
  { file, name, still, session }: Listed,
  stopped: AbortSignal,
): Promise<SessionRecord> {
  if (session) return session
  const sent = await send(still ? await inWorker('joinPair', still.file, file) : file, name, stopped)
  change(file, { session: sent })
  return sent
}

/** Opens a file of the list; what is chosen is kept in the list when it is left. */
export async function openListed(listed: Listed): Promise<void> {
  const { file, still } = listed
  let shown = listed
  if (still) {
    await doWork(async (stopped) => {
      const session = await sessionOfPair(listed, stopped)
      shown = { ...listed, session, ...wholeOf(listed, session) }
    })
    if (!shown.session) return
  }
  await openFile(file, listed.name, shown)
  if (opened.value) change(file, { cut: cut.value, options: options.value })
}

/** What is chosen of a Live Photo first: all of it, with its own still. */
function wholeOf({ still, cut, options: chosen }: Listed, { frames, has_audio, has_still }: SessionRecord) {
  const moment = still?.momentUs === undefined ? frames / 2 : (still.momentUs / 1e6) * FPS
  const cover = Math.min(Math.round(moment), Math.max(0, frames - 1))
  const own = { cover: has_still ? 'source' : 'time', metadata: 'all', keepsSound: has_audio } as const
  return {
    cut: cut ?? { start: 0, end: frames, cover },
    options: chosen ?? { ...PLAIN, ...own },
  }
}
