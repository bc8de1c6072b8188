import { ask, askJson } from '../shared/ask'
import { type Cut, FPS } from './cut'
import type { Inspection, Session } from './records'

export type Choice = {
  readonly cut: Cut
  readonly speed: number
  readonly keepsSound: boolean
  readonly isOriginal: boolean
  /** Whose galleries the file is written for. */
  readonly profile: 'universal' | 'huawei'
}

export type Photo = {
  readonly name: string
  readonly file: Blob
  /** Addresses of the still and of the clip, for as long as the page is open. */
  readonly still: string
  readonly clip: string | undefined
  readonly quality: 'source' | 'preview'
  readonly inspection: Inspection
}

/** Makes a motion photo, and asks which galleries will play it. @throws RequestProblem */
export async function makePhoto(session: Session, choice: Choice, signal: AbortSignal): Promise<Photo> {
  const { cut } = choice
  const order = new URLSearchParams({
    session_id: session.session_id,
    range_start: String(cut.start / FPS),
    range_end: String(cut.end / FPS),
    cover_time: String(cut.cover / FPS),
    speed: String(choice.speed),
    mute: String(!choice.keepsSound),
    quality: choice.isOriginal ? 'source' : 'preview',
    profile: choice.profile,
  })
  const response = await ask('convert', { method: 'POST', body: order, signal })
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1]
  const file = await response.blob()
  const form = new FormData()
  form.set('file', file, name ?? 'photo.jpg')
  const inspection = await askJson<Inspection>('inspect', { method: 'POST', body: form, signal })
  const { clip } = inspection
  return {
    name: name ?? 'photo_MP.jpg',
    file,
    still: URL.createObjectURL(file),
    clip: clip
      ? URL.createObjectURL(file.slice(clip.offset, clip.offset + clip.bytes, 'video/mp4'))
      : undefined,
    quality: response.headers.get('X-Clip-Quality') === 'source' ? 'source' : 'preview',
    inspection,
  }
}
