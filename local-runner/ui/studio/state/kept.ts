import { effect, signal } from '@preact/signals'
import type { Cut } from '../photo/cut'
import type { Photo } from '../photo/makePhoto'
import { options, type PhotoOptions } from '../photo/options'
import type { SessionRecord } from '../photo/records'
import { entries, get, keepOnly, put, remove } from './database'
import { fileOf, idOf, keptFile } from './keptFiles'
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
  /** The picture that was chosen as its cover. */
  readonly cover?: string | undefined
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
/** For a page that is left to go. */
const RELOAD_MS = 500

/** Each tab has its own work, by this name; it outlives a reload. */
let tab = ''
/** Whose work is offered. */
let keyOfKept = ''
/** Of a list that was gone on with: what has to be chosen again. */
let absent: readonly KeptFile[] = []

/** A tab that is opened as a copy of another one comes with the name of that. */
async function nameOfTab(): Promise<string> {
  const known = sessionStorage.getItem(TAB)
  if (known !== null && (await hold(known))) return known
  const name = `${Date.now()}-${Math.floor(performance.now() * 1000)}`
  sessionStorage.setItem(TAB, name)
  await hold(name)
  return name
}

/** Holds a name as long as the page is open; the page before a reload may take a moment to let go of it. @returns whether it is held */
function hold(name: string): Promise<boolean> {
  // Over plain HTTP there are no locks.
  if (!navigator.locks) return Promise.resolve(true)
  return new Promise((resolve) => {
    const holding = navigator.locks.request(name, { signal: AbortSignal.timeout(RELOAD_MS) }, () => {
      resolve(true)
      return new Promise(() => undefined)
    })
    void holding.catch(() => resolve(false))
  })
}

/** The names of the other tabs that are open. */
async function otherTabs(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return new Set(held.flatMap(({ name }) => (name === undefined || name === tab ? [] : name)))
}

/** Offers what was kept, and keeps what is done from now on. Where the browser keeps nothing, nothing is. */
export async function keepWork(): Promise<void> {
  tab = await nameOfTab()
  await offer()
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<unknown> = Promise.resolve()
  effect(() => {
    const now = workNow()
    // It may be cleared before it is written.
    const isList = list.value.length > 0
    if (held.value !== undefined || now.length === 0) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      writing = writing.then(() => write(now, isList)).catch(() => undefined)
    }, SETTLED_MS)
  })
}

async function offer(): Promise<void> {
  const now = Date.now()
  const all = (await entries('work')) as readonly (readonly [string, Kept])[]
  const recent = all
    .filter(([, { at }]) => now - at < KEPT_MS)
    .sort(([, one], [, other]) => other.at - one.at)
  const others = await otherTabs()
  // Another one may just be keeping what it has not named yet.
  if (others.size === 0) await removeOthers(recent)
  const free = recent.filter(([key]) => !others.has(key))
  const [key = '', found] = free.find(([name]) => name === tab) ?? free[0] ?? []
  keyOfKept = key
  kept.value = found
}

/** Makes what is offered this tab's own. @param rest what of it has to be chosen again */
export async function takeKept(rest: readonly KeptFile[]): Promise<void> {
  absent = rest
  if (keyOfKept === tab || kept.value === undefined) return
  await put('work', tab, kept.value)
  await remove('work', keyOfKept)
  keyOfKept = tab
}

/** Removes works that are over, and what belongs to none. */
async function removeOthers(works: readonly (readonly [string, Kept])[]): Promise<void> {
  const files = works.flatMap(([, work]) => work.files)
  await keepOnly('work', new Set(works.map(([key]) => key)))
  await keepOnly('photos', new Set(files.flatMap((one) => one.photos)))
  await keepOnly('files', new Set(files.flatMap(({ file, still, cover }) => [file, still, cover])))
}

export async function forgetWork(): Promise<void> {
  kept.value = undefined
  absent = []
  await remove('work', keyOfKept)
  if ((await otherTabs()).size > 0) return
  await removeOthers((await entries('work')) as readonly (readonly [string, Kept])[])
}

type Doing = Omit<KeptFile, 'file' | 'still' | 'cover' | 'isThere' | 'photos'> & {
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
    const picture = one.options?.coverFile
    const cover = picture && (await keptFile(picture)) ? idOf(picture) : undefined
    const ids: string[] = []
    for (const photo of one.photos) ids.push(await keptPhoto(photo))
    files.push({
      name,
      file: one.file && idOf(one.file),
      still,
      cover,
      isThere,
      session,
      cut: one.cut,
      options: one.options && withoutPicture(one.options, cover),
      // What was being made is not any more.
      state: state === 'making' ? 'waiting' : state,
      reason,
      photos: ids,
    })
  }
  const rest = isList ? absent.filter((one) => !files.some(({ file }) => file === one.file)) : []
  const now: Kept = { at: Date.now(), isList, files: [...files, ...rest] }
  await put('work', tab, now)
  keyOfKept = tab
  kept.value = now
}

/** Its own picture is kept apart: it would be written anew with each change. @param kept its id, where it is kept */
function withoutPicture(chosen: PhotoOptions, kept: string | undefined): PhotoOptions {
  const cover = chosen.cover === 'file' && kept === undefined ? 'time' : chosen.cover
  return Object.assign({}, chosen, { cover, coverFile: undefined })
}

/** What was chosen, with the picture of its own. */
export async function optionsOf({ options: chosen, cover }: KeptFile): Promise<PhotoOptions | undefined> {
  if (!chosen || cover === undefined) return chosen
  const coverFile = await fileOf(cover)
  return { ...chosen, cover: coverFile ? 'file' : 'time', coverFile }
}

const photoIds = new WeakMap<Photo, string>()
let numbered = 0

async function keptPhoto(photo: Photo): Promise<string> {
  const known = photoIds.get(photo)
  if (known) return known
  numbered += 1
  const id = `${tab}-${Date.now()}-${numbered}`
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
  return one && { ...one, file, still: undefined, options: await optionsOf(one), photos: await photosOf(one) }
}

export async function photosOf({ photos: ids }: KeptFile): Promise<readonly Photo[]> {
  return (await Promise.all(ids.map(photoOf))).flatMap((photo) => photo ?? [])
}
