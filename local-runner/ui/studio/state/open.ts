import { ask, askJson, postJson, RequestProblem } from '../../shared/ask'
import { FPS, moveRange, usualCut } from '../photo/cut'
import { type Examined, examine, isPhoto, momentOf } from '../photo/examine'
import { createPlayer, type LocalVideo, openLocal, unload } from '../photo/localVideo'
import { choose, options, type PhotoOptions } from '../photo/options'
import { presetOf } from '../photo/preset'
import type { RememberedSession, SessionRecord } from '../photo/records'
import { withSession } from '../photo/records'
import { mayLeave } from './leaving'
import { sendFile } from './sendFile'
import {
  cut,
  doWork,
  examined,
  fileName,
  forget,
  isServed,
  isUnsaved,
  type Listed,
  list,
  type Opened,
  opened,
  openOfList,
  photos,
  previewBytes,
  problem,
  remembered,
  setCut,
  work,
} from './store'

/** Opens a file in place of what is open, once it is understood: of one that is refused only the reason is shown. @param listed what is known of it, if it is one of the list */
export const openFile = (file: File, name: string, listed?: Listed) =>
  doWork(async (stopped) => {
    work.value = { stage: 'reading' }
    const before = fileName.value
    fileName.value = name
    const onShown = (player: HTMLVideoElement) => {
      work.value = { stage: 'reading', player }
    }
    try {
      await openOrExamine(file, name, stopped, listed, onShown)
    } catch (error) {
      fileName.value = before
      throw error
    }
    if (!listed) return
    openOfList.value = file
    photos.value = listed.photos
    isUnsaved.value = listed.photos.length > 0 && listed.state === 'made'
  }, name)

async function openOrExamine(
  file: File,
  name: string,
  stopped: AbortSignal,
  listed: Listed | undefined,
  onShown: (player: HTMLVideoElement) => void,
): Promise<void> {
  const close = listed ? closeFile : closeAll
  if (!listed?.session && (await isPhoto(file))) {
    const photo = await look(file, name)
    close()
    examined.value = photo
  } else {
    const video = await openVideo(file, name, stopped, listed?.session, onShown)
    close()
    edit(video, name, listed)
  }
}

async function look(file: File, name: string): Promise<Examined> {
  isServed.value = await hasService()
  return examine(file, name)
}

export async function hasService(): Promise<boolean> {
  const answer = await fetch('health').catch(() => undefined)
  // 401: it is there, and asks for a token first.
  return answer?.ok === true || answer?.status === 401
}

/** @param session of the service that has it already. @param onShown takes the player once it shows it. @throws RequestProblem */
export async function openVideo(
  file: File,
  name: string,
  stopped: AbortSignal,
  session?: SessionRecord,
  onShown?: (player: HTMLVideoElement) => void,
): Promise<Opened> {
  const local = session ? undefined : await openLocal(file, onShown)
  return local ? ofDevice(local) : ofService(session ?? (await send(file, name, stopped)))
}

/** What was chosen before a photo was opened: a video that is opened next says no more for it. */
let metadataBefore: PhotoOptions['metadata'] | undefined

/** What a person keeps of a photo whose clip is cut again: its own still, at its moment, and its tags. */
function editExamined(video: Opened, photo: Examined): void {
  edit(video, photo.name)
  const moment = momentOf(photo, video.frames)
  if (moment !== undefined) {
    const { start, end } = cut.value
    const isInside = moment >= start && moment < end
    const half = Math.floor((end - start) / 2)
    const around = isInside ? cut.value : moveRange(cut.value, moment - half, video.frames)
    setCut({ ...around, cover: moment }, video.frames)
  }
  metadataBefore = options.value.metadata
  choose({ cover: video.has_still ? 'source' : 'time', metadata: 'all' })
}

export function closeVideo({ local, player }: Opened): void {
  unload(player)
  local?.close()
}

/** Opens the video of the photo that is looked at: with its own still, which the service reads, or else the clip alone. */
export const openExamined = () =>
  doWork(async (stopped) => {
    const photo = examined.value
    const place = photo?.inspection?.clip
    if (!photo || !place) return
    const { file, name } = photo
    const clip = file.slice(place.offset, place.offset + place.bytes)
    if (isServed.value) editExamined(ofService(await send(file, name, stopped)), photo)
    else edit(await openVideo(new File([clip], name, { type: 'video/mp4' }), name, stopped), name)
    closeExamined()
  })

/** Sends a file and remembers its session. @param from whole seconds before the part that is prepared */
export async function send(file: File, name: string, stopped: AbortSignal, from = 0): Promise<SessionRecord> {
  // A file that has changed since it was chosen says so here, and nothing else would.
  await file.slice(0, 1).arrayBuffer()
  const made = await sendFile(file, stopped, from)
  remembered.value = withSession(remembered.value, {
    id: made.session_id,
    name,
    expiresAt: made.expires_at,
  })
  return made
}

function ofService(session: SessionRecord): Opened {
  const player = createPlayer()
  player.src = `preview/${session.session_id}.mp4`
  return { ...session, session, player }
}

function ofDevice(local: LocalVideo): Opened {
  const { width, height, frames, sound, player } = local
  return { local, width, height, frames, has_audio: sound !== undefined, has_still: false, player }
}

/** @param earlier what was chosen and made of it */
export const openSession = (
  { id, name }: Pick<RememberedSession, 'id' | 'name'>,
  earlier?: Pick<Listed, 'cut' | 'options' | 'state' | 'photos'>,
) =>
  doWork(async () => {
    const found = await askJson<SessionRecord>(`sessions/${id}`).catch((error: unknown) => {
      if (error instanceof RequestProblem && error.code === 'not-found') forget(id)
      throw error
    })
    edit(ofService(found), name, earlier)
    photos.value = earlier?.photos ?? []
    isUnsaved.value = photos.value.length > 0 && earlier?.state === 'made'
  })

export const removeRemembered = ({ id }: RememberedSession) =>
  doWork(async () => {
    await postJson('cleanup', { session_id: id }).catch((error: unknown) => {
      if (!(error instanceof RequestProblem && error.code === 'not-found')) throw error
    })
    forget(id)
  })

/** Closes all. @returns whether it is closed: that nothing is lost by it, or the person does not mind */
export async function closeEditor(): Promise<boolean> {
  if (!(await mayLeave())) return false
  closeAll()
  return true
}

export function closeAll(): void {
  const made = [...photos.value, ...list.value.flatMap((listed) => listed.photos)]
  for (const address of made.flatMap(({ addresses }) => addresses)) URL.revokeObjectURL(address)
  list.value = []
  closeFile()
}

/** Closes what is open; what was made of it stays in the list. */
export function closeFile(): void {
  if (opened.value) closeVideo(opened.value)
  opened.value = undefined
  openOfList.value = undefined
  closeExamined()
  problem.value = undefined
  photos.value = []
  isUnsaved.value = false
}

function closeExamined(): void {
  const { clip, still } = examined.value ?? {}
  for (const address of [clip, still]) if (address) URL.revokeObjectURL(address)
  examined.value = undefined
}

function edit(video: Opened, name: string, listed?: Pick<Listed, 'cut' | 'options'>): void {
  fileName.value = name
  const first = listed?.cut ?? usualCut(video.frames, video.local?.calmestSeconds)
  setCut(first, video.frames)
  choose({
    speed: 1,
    keepsSound: video.has_audio,
    cover: 'time',
    coverFile: undefined,
    repeat: 1,
    shape: '',
    crop: undefined,
    metadata: metadataBefore ?? options.value.metadata,
    ...presetOf(video),
    ...listed?.options,
    // Of the phone, for all files.
    profile: options.value.profile,
  })
  metadataBefore = undefined
  // The player has its place before the video is loaded.
  const { width, height } = video
  Object.assign(video.player, { width, height, currentTime: (first.cover + 0.5) / FPS })
  previewBytes.value = video.local?.file.size
  opened.value = video
  // Both are drawn at once: a second time would lay out the page in the same task.
  work.value = undefined
  if (video.local) return
  // Without the preview's size there is no estimate.
  void ask(video.player.src, { method: 'HEAD' }).then(
    ({ headers }) => {
      previewBytes.value = Number(headers.get('Content-Length')) || undefined
    },
    () => {},
  )
}
