import { crc32, wallClock, type ZipMember, zipOf } from '@lantern-room/formats/browser'
import { saveFile } from '../../shared/ask'
import { isTokenNeeded } from '../../shared/token'
import { middleCut } from '../photo/cut'
import { isPhoto } from '../photo/examine'
import { canvasOf, createViewer, unload } from '../photo/localVideo'
import type { Photo } from '../photo/makePhoto'
import { options, PLAIN } from '../photo/options'
import { say } from '../words/texts'
import { makeOf } from './make'
import { closeEditor, closeFile, closeVideo, openFile, openVideo } from './open'
import {
  cut,
  doWork,
  isUnsaved,
  type Listed,
  list,
  opened,
  openOfList,
  photos,
  problem,
  problemOf,
  work,
} from './store'

/** Takes a file in place of what is edited; several, or one more where there is a list, into the list. */
export function takeFiles(chosen: FileList | undefined | null): void {
  const [file, ...others] = chosen ?? []
  if (!file) problem.value = { sentence: say('notAFile'), detail: undefined }
  else if (list.value.length > 0) add([file, ...others])
  else if (others.length === 0 && file.size === 0) {
    problem.value = { sentence: say('emptyFile'), detail: undefined }
  } else if (work.value === undefined && closeEditor()) {
    if (others.length > 0) add([file, ...others])
    else void openFile(file, nameOf(file))
  }
}

function nameOf({ name }: File): string {
  return name || say('pasted')
}

function add(files: readonly File[]): void {
  const added = files.map((file): Listed => {
    const reason = file.size > 0 ? undefined : say('emptyFile')
    return { file, name: nameOf(file), state: reason ? 'refused' : 'waiting', reason, photos: [] }
  })
  list.value = [...list.value, ...added]
  void addThumbnails(files)
}

async function addThumbnails(files: readonly File[]): Promise<void> {
  for (const file of files) {
    change(file, { thumbnail: await takeThumbnail(file).catch(() => undefined) })
  }
}

const THUMBNAIL_HEIGHT = 96

/** A small picture of a video or photo, as an address. @throws Error where the browser does not show the file */
async function takeThumbnail(file: File): Promise<string> {
  if (file.type.startsWith('image/')) {
    const picture = await createImageBitmap(file)
    return thumbnailOf(picture, picture.width / picture.height)
  }
  const address = URL.createObjectURL(file)
  const { video, show } = createViewer(address)
  try {
    return await show(1, () => thumbnailOf(video, video.videoWidth / video.videoHeight))
  } finally {
    unload(video)
    URL.revokeObjectURL(address)
  }
}

function thumbnailOf(picture: CanvasImageSource, ratio: number): string {
  const width = Math.max(1, Math.round(THUMBNAIL_HEIGHT * ratio))
  return canvasOf(picture, width, THUMBNAIL_HEIGHT).toDataURL('image/jpeg', 0.8)
}

export function change(file: File, what: Partial<Listed>): void {
  list.value = list.value.map((one) => (one.file === file ? { ...one, ...what } : one))
}

/** Opens a file of the list; what is chosen is kept in the list when it is left. */
export async function openListed(listed: Listed): Promise<void> {
  await openFile(listed.file, listed.name, listed)
  if (opened.value) change(listed.file, { cut: cut.value, options: options.value })
}

/** Closes the file that is open: goes back to the list, if it is of one. */
export function leave(): void {
  const listed = list.value.find(({ file }) => file === openOfList.value)
  if (!listed) {
    closeEditor()
    return
  }
  // From a photo without a video in the editor another one may have been made.
  if (opened.value || photos.value.length > listed.photos.length) change(listed.file, changesOf(listed))
  closeFile()
}

function changesOf(listed: Listed): Partial<Listed> {
  const { session } = opened.value ?? {}
  const chosen = { session, cut: cut.value, options: options.value, photos: photos.value }
  const isOther = chosen.cut !== listed.cut || chosen.options !== listed.options
  const isNew = photos.value.length > listed.photos.length
  if (isNew || (!isOther && photos.value.length > 0)) {
    return { ...chosen, state: isUnsaved.value ? 'made' : 'saved', reason: undefined }
  }
  return isOther ? { ...chosen, state: 'waiting', reason: undefined } : chosen
}

/** Whether *Make all* makes a photo of it; also of one that failed before. */
export function isToMake({ state, file }: Listed): boolean {
  return state === 'waiting' || (state === 'refused' && file.size > 0)
}

export function hasPhoto({ state }: Listed): boolean {
  return state === 'made' || state === 'saved'
}

/** Makes the photos one after the other, also of files that come meanwhile. */
export const makeAll = () =>
  doWork(async (stopped) => {
    const tried = new Set<File>()
    while (!stopped.aborted && !isTokenNeeded.value) {
      const next = list.value.find((one) => isToMake(one) && !tried.has(one.file))
      if (!next) return
      tried.add(next.file)
      change(next.file, { state: 'making', reason: undefined })
      change(next.file, await makeListed(next, stopped))
    }
  })

/** @returns what has become of it: a failure is of this file alone */
async function makeListed(listed: Listed, stopped: AbortSignal): Promise<Partial<Listed>> {
  const { file, name } = listed
  try {
    work.value = { stage: 'reading' }
    if (!listed.session && (await isPhoto(file))) return { state: 'refused', reason: say('isPhoto') }
    const video = await openVideo(file, name, stopped, listed.session)
    change(file, { session: video.session })
    const own = listed.options ?? { ...PLAIN, keepsSound: video.has_audio }
    const { profile } = options.value
    const chosen = { ...own, profile, cut: listed.cut ?? middleCut(video.frames) }
    const making = makeOf(video, name, chosen, stopped)
    return { state: 'made', photos: [await making.finally(() => closeVideo(video)), ...listed.photos] }
  } catch (error) {
    if (stopped.aborted || isTokenNeeded.value) return { state: 'waiting' }
    return { state: 'refused', reason: problemOf(error).sentence, session: undefined }
  }
}

export const saveAll = () =>
  doWork(async () => {
    work.value = { stage: 'storing' }
    const made = list.value.filter(hasPhoto)
    saveFile(await zipOfPhotos(made.flatMap(({ photos: [newest] }) => newest ?? [])), 'motion-photos.zip')
    for (const { file } of made) change(file, { state: 'saved' })
  })

/**
 * All photos in one file; those whose name is there already, also in other case, get a number: on most disks one
 * would replace the other. @throws RangeError for 4 GiB or more
 */
async function zipOfPhotos(photos: readonly Photo[]): Promise<Blob> {
  const members: ZipMember<Blob>[] = []
  const taken = new Set<string>()
  for (const { name: wanted, file } of photos) {
    let name = wanted
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${number}-${wanted}`
    taken.add(name.toLowerCase())
    const crc = crc32(new Uint8Array(await file.arrayBuffer()))
    members.push({ name, size: file.size, crc, pieces: [file] })
  }
  const now = new Date()
  const pieces = zipOf(members, wallClock(now, -now.getTimezoneOffset()))
  return new Blob(pieces as BlobPart[], { type: 'application/zip' })
}
