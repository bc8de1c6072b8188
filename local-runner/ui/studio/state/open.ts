import { ask, askJson, postJson, RequestProblem, saveFile } from '../../shared/ask'
import { firstCut } from '../photo/cut'
import { examine, isPhoto } from '../photo/examine'
import { createPlayer, type LocalVideo, localStrip, openLocal, unload } from '../photo/localVideo'
import { formOf, nameOf } from '../photo/makePhoto'
import { choose } from '../photo/options'
import type { Progress, RememberedSession, SessionRecord } from '../photo/records'
import { withSession } from '../photo/records'
import { sendFile } from '../photo/sendFile'
import { say } from '../words/texts'
import {
  doWork,
  examined,
  fileName,
  forget,
  isUnsaved,
  type Opened,
  opened,
  photos,
  previewBytes,
  problem,
  remembered,
  setCut,
  work,
} from './store'

/** Takes a file in place of what is edited; of several the first one, and says so. */
export function takeFiles(files: FileList | undefined | null): void {
  const [file] = files ?? []
  if (!file) problem.value = { sentence: say('notAFile'), detail: undefined }
  else if (file.size === 0) problem.value = { sentence: say('emptyFile'), detail: undefined }
  else if (work.value === undefined && closeEditor()) {
    void openFile(file, file.name || say('pasted')).then(() => {
      if (files && files.length > 1 && problem.value === undefined)
        problem.value = { sentence: say('oneFile', files.length), detail: undefined }
    })
  }
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
    closeExamined()
  })

/** Saves what the service makes of the photo that is looked at. @param path of an endpoint that answers with a file */
export const saveFromService = (path: 'repair' | 'extract', fields: Readonly<Record<string, string>> = {}) =>
  doWork(async (stopped) => {
    const photo = examined.value
    if (!photo) return
    work.value = { stage: 'converting' }
    const body = formOf(photo.file, photo.name, fields)
    const response = await ask(path, { method: 'POST', body, signal: stopped })
    saveFile(await response.blob(), nameOf(response) ?? photo.name)
  })

/** Sends a file and remembers its session. @param from whole seconds before the part that is prepared */
export async function send(file: File, name: string, stopped: AbortSignal, from = 0): Promise<SessionRecord> {
  // A file that has changed since it was chosen says so here, and nothing else would.
  await file.slice(0, 1).arrayBuffer()
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
  const player = createPlayer()
  player.src = `preview/${session.session_id}.mp4`
  return { ...session, session, player }
}

function ofDevice(local: LocalVideo): Opened {
  const { width, height, frames, hasSound, player } = local
  const strip = localStrip(local)
  return { local, width, height, frames, has_audio: hasSound, has_still: false, strip, player }
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

/** @returns whether it is closed: that nothing is lost by it, or the person does not mind */
export function closeEditor(): boolean {
  if (isUnsaved.value && !window.confirm(say('replaceAsk'))) return false
  if (opened.value) unload(opened.value.player)
  opened.value?.local?.close()
  opened.value = undefined
  closeExamined()
  problem.value = undefined
  for (const { addresses } of photos.value) {
    for (const address of addresses) URL.revokeObjectURL(address)
  }
  photos.value = []
  isUnsaved.value = false
  return true
}

function closeExamined(): void {
  if (examined.value?.clip) URL.revokeObjectURL(examined.value.clip)
  examined.value = undefined
}

function edit(video: Opened, name: string): void {
  fileName.value = name
  setCut(firstCut(video.frames), video.frames)
  choose({ speed: 1, keepsSound: video.has_audio, cover: 'time', coverFile: undefined, repeat: 1 })
  previewBytes.value = video.local?.file.size
  opened.value = video
  if (video.local) return
  // Without the preview's size there is no estimate.
  void ask(video.player.src, { method: 'HEAD' }).then(
    ({ headers }) => {
      previewBytes.value = Number(headers.get('Content-Length')) || undefined
    },
    () => {},
  )
}
