import { effect, signal } from '@preact/signals'
import type { Cut } from '../photo/cut'
import type { Photo } from '../photo/makePhoto'
import { options, type PhotoOptions } from '../photo/options'
import type { SessionRecord } from '../photo/records'
import { entries, get, keepOnly, put } from './database'
import { idOf, keptFile } from './keptFiles'
import {
  cut,
  examined,
  fileName,
  held,
  isUnsaved,
  type Listed,
  list,
  opened,
  openOfList,
  photos,
} from './store'

/** What was being done with a file. */
export type KeptFile = {
  readonly name: string
  /** By their ids: itself, and the photo of a Live Photo; undefined where only the service has it. */
  readonly file: string | undefined
  readonly still?: string | undefined
  /** Whether the browser has it; else it has to be chosen again. */
  readonly isThere: boolean
  readonly session?: SessionRecord | undefined
  readonly cut?: Cut | undefined
  readonly options?: PhotoOptions | undefined
  readonly state: Listed['state']
  readonly reason?: string | undefined
  /** Their ids, the newest first. */
  readonly photos: readonly string[]
}

export type Kept = {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly isList: boolean
  readonly files: readonly KeptFile[]
}

/** What can be gone on with. */
export const kept = signal<Kept | undefined>(undefined)

const TAB = 'tab'
const KEPT_MS = 7 * 24 * 3600 * 1000
/** Changes that follow each other as fast are written once. */
const SETTLED_MS = 250

/** Each tab has its own work; it outlives a reload. */
function tab(): string {
  const known = sessionStorage.getItem(TAB) ?? `${Date.now()}-${Math.floor(performance.now() * 1000)}`
  sessionStorage.setItem(TAB, known)
  return known
}

/** Offers what was kept, and keeps what is done from now on. Where the browser keeps nothing, nothing is. */
export async function keepWork(): Promise<void> {
  await offer()
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<unknown> = Promise.resolve()
  effect(() => {
    const now = workNow()
    if (held.value !== undefined || now.length === 0) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      writing = writing.then(() => write(now, list.value.length > 0)).catch(() => undefined)
    }, SETTLED_MS)
  })
}

async function offer(): Promise<void> {
  const now = Date.now()
  const all = (await entries('work')) as readonly (readonly [string, Kept])[]
  const recent = all
    .filter(([, { at }]) => now - at < KEPT_MS)
    .sort(([, one], [, other]) => other.at - one.at)
  await removeOthers(recent)
  kept.value = (recent.find(([key]) => key === tab()) ?? recent[0])?.[1]
}

/** Removes works that are over, and what belongs to none. */
async function removeOthers(works: readonly (readonly [string, Kept])[]): Promise<void> {
  const files = works.flatMap(([, work]) => work.files)
  await keepOnly('work', new Set(works.map(([key]) => key)))
  await keepOnly('photos', new Set(files.flatMap((one) => one.photos)))
  await keepOnly('files', new Set(files.flatMap(({ file, still }) => [file ?? '', still ?? ''])))
}

export async function forgetWork(): Promise<void> {
  kept.value = undefined
  const all = (await entries('work')) as readonly (readonly [string, Kept])[]
  await removeOthers(all.filter(([key]) => key !== tab()))
}

type Doing = Omit<KeptFile, 'file' | 'still' | 'isThere' | 'photos'> & {
  readonly file: File | undefined
  readonly still?: File | undefined
  readonly photos: readonly Photo[]
}

/** All files with what is chosen for each, the one that is open as it is now. */
function workNow(): readonly Doing[] {
  const video = opened.value
  const open = { cut: cut.value, options: options.value, photos: photos.value, session: video?.session }
  const state = isUnsaved.value ? 'made' : 'saved'
  if (list.value.length > 0) {
    return list.value.map((listed) => {
      const isOpen = listed.file === openOfList.value && video !== undefined
      const isMade = isOpen && open.photos.length > 0
      return {
        ...listed,
        ...(isOpen && open),
        state: isMade ? state : listed.state,
        still: listed.still?.file,
      }
    })
  }
  if (video) return [{ ...open, name: fileName.value, file: video.local?.file, state }]
  if (examined.value) {
    const { file, name } = examined.value
    return [{ name, file, state, photos: photos.value }]
  }
  return []
}

async function write(doing: readonly Doing[], isList: boolean): Promise<void> {
  const files: KeptFile[] = []
  for (const one of doing) {
    const { name, session, state, reason } = one
    const isThere = one.file !== undefined && (await keptFile(one.file))
    const still = one.still && (await keptFile(one.still)) ? idOf(one.still) : undefined
    const ids: string[] = []
    for (const photo of one.photos) ids.push(await keptPhoto(photo))
    files.push({
      name,
      file: one.file && idOf(one.file),
      still,
      isThere,
      session,
      cut: one.cut,
      options: one.options && withoutPicture(one.options),
      // What was being made is not any more.
      state: state === 'making' ? 'waiting' : state,
      reason,
      photos: ids,
    })
  }
  const now: Kept = { at: Date.now(), isList, files }
  await put('work', tab(), now)
  kept.value = now
}

/** A picture of the person's own is chosen again: it would be written anew with each change. */
function withoutPicture(chosen: PhotoOptions): PhotoOptions {
  const cover = chosen.cover === 'file' ? 'time' : chosen.cover
  return Object.assign({}, chosen, { cover, coverFile: undefined })
}

const photoIds = new WeakMap<Photo, string>()
let numbered = 0

async function keptPhoto(photo: Photo): Promise<string> {
  const known = photoIds.get(photo)
  if (known) return known
  numbered += 1
  const id = `${tab()}-${Date.now()}-${numbered}`
  await put('photos', id, photo)
  photoIds.set(photo, id)
  return id
}

/** A photo that was made before the page was loaded, with addresses of this page. */
async function photoOf(id: string): Promise<Photo | undefined> {
  const photo = (await get('photos', id)) as Photo | undefined
  if (!photo) return undefined
  const place = photo.inspection?.clip
  const download = URL.createObjectURL(photo.file)
  const still = URL.createObjectURL(photo.shown)
  const clip = place
    ? URL.createObjectURL(photo.file.slice(place.offset, place.offset + place.bytes, 'video/mp4'))
    : undefined
  const addresses = [download, still, ...(clip ? [clip] : [])]
  const shown = { ...photo, download, still, clip, addresses }
  photoIds.set(shown, id)
  return shown
}

/** What was chosen and made of a file that was too large to be kept, once it is chosen again. */
export async function earlierOf(file: File): Promise<Listed | undefined> {
  const one = kept.value?.files.find((other) => !other.isThere && other.file === idOf(file))
  return one && { ...one, file, still: undefined, photos: await photosOf(one) }
}

export async function photosOf({ photos: ids }: KeptFile): Promise<readonly Photo[]> {
  return (await Promise.all(ids.map(photoOf))).flatMap((photo) => photo ?? [])
}
