import { examine, findingsOf, isPhoto } from '../photo/examine'
import { inWorker } from '../photo/inWorker'
import { canvasOf, createViewer, unload } from '../photo/localVideo'
import { options } from '../photo/options'
import { say } from '../words/texts'
import { earlierOf } from './kept'
import { mayLeave } from './leaving'
import { closeAll, closeEditor, closeFile, openFile } from './open'
import {
  cut,
  examined,
  isUnsaved,
  type Listed,
  list,
  opened,
  openOfList,
  photos,
  problem,
  work,
} from './store'
import { openExport } from './takeout'

/** Endings of files that may be of an export. */
const MAY_BE_EXPORT = /\.(zip|tgz|tar|gz|json|csv)$/i

/**
 * Takes a file in place of what is edited; several, or one more where there is a list, into the list.
 * @param isNoExport whether the person has said that they are none
 */
export function takeFiles(chosen: FileList | readonly File[] | undefined | null, isNoExport = false): void {
  const files = [...(chosen ?? [])]
  const [file] = files
  if (!file) problem.value = { sentence: say('notAFile') }
  else if (!isNoExport && files.some(({ name }) => MAY_BE_EXPORT.test(name))) void takeExport(files)
  else if (list.value.length > 0) add(files)
  else if (files.length === 1 && file.size === 0) {
    problem.value = { sentence: say('emptyFile'), name: nameOf(file) }
  } else if (work.value === undefined) {
    const still = examined.value?.inspection === undefined ? examined.value?.file : undefined
    if (still && files.length === 1) void completePair(still, file)
    else void takeInstead(files)
  }
}

async function takeExport(files: readonly File[]): Promise<void> {
  const isExport = await inWorker('isExport', files).catch(() => false)
  if (isExport) await openExport(files.map((file) => ({ file, path: file.name })))
  else takeFiles(files, true)
}

/** What is open stays until the file in its place is understood. */
async function takeInstead(files: readonly File[]): Promise<void> {
  const [file] = files
  if (!file || !(await mayLeave())) return
  if (files.length === 1) await openFile(file, nameOf(file), await earlierOf(file))
  else {
    closeAll()
    add(files)
  }
}

/** Takes the video of the photo that is looked at, or another file in its place. */
async function completePair(still: File, file: File): Promise<void> {
  const pairs = await inWorker('findPairs', [still, file]).catch(() => [])
  await takeInstead(pairs.length > 0 ? [still, file] : [file])
}

function nameOf({ name }: File): string {
  return name || say('pasted')
}

/** What is not known yet of the files of the list: nothing is made of them before. */
let learning: Promise<unknown> = Promise.resolve()

export const isLearnt = () => learning

export function add(files: readonly File[]): void {
  const added = files.map((file): Listed => {
    const reason = file.size > 0 ? undefined : say('emptyFile')
    return { file, name: nameOf(file), state: reason ? 'refused' : 'waiting', reason, photos: [] }
  })
  list.value = [...list.value, ...added]
  const before = learning
  learning = before.then(() => learn(files)).catch(() => undefined)
  void learning.then(() => addPictures(files))
}

async function learn(files: readonly File[]): Promise<void> {
  await joinPairs()
  for (const file of files) {
    const listed = list.value.find((one) => one.file === file)
    const earlier = listed && (await earlierOf(file))
    if (earlier) takeBack(earlier)
    if (listed && !listed.still && file.size > 0 && (await isPhoto(file)))
      change(file, await learnPhoto(listed))
  }
}

/** Gives a file of the list what was chosen and made of it before. */
export function takeBack({ file, cut, options, state, photos, session }: Listed): void {
  change(file, { cut, options, state, photos, session })
}

/** Makes one of the two files of each Live Photo. */
async function joinPairs(): Promise<void> {
  const files = list.value.filter(isSingle).map(({ file }) => file)
  for (const { photo, video, momentUs } of await inWorker('findPairs', files)) {
    const [still, movie] = [files[photo], files[video]]
    if (!still || !movie) continue
    const ending = movie.name.replace(/.*\./, '')
    const name = `${nameOf(still)} + ${ending}`
    change(movie, { name, still: { file: still, momentUs }, state: 'waiting', reason: undefined })
    list.value = list.value.filter(({ file }) => file !== still)
  }
}

function isSingle({ file, still, state, session }: Listed): boolean {
  return file.size > 0 && !still && !session && (state === 'waiting' || state === 'refused')
}

/** Where a motion photo plays; a still asks for its video. */
async function learnPhoto({ file, name }: Listed): Promise<Partial<Listed>> {
  const found = await examine(file, name)
  const { state, moving } = findingsOf(found)
  const { clip } = found
  if (state === 'isStill') return { state: 'refused', reason: say('isPhoto') }
  if (state === 'isWhole') return { examined: found, clip, state: 'fine', reason: say('isWhole') }
  if (state === 'isMendable' || state === 'isPartly') {
    return { examined: found, clip, reason: say(state, namesOf(moving)) }
  }
  return { examined: found, clip, state: 'refused', reason: say(state) }
}

/** Names of galleries, as a list. */
export function namesOf(galleries: readonly Parameters<typeof say>[0][]): string {
  return galleries.map((gallery) => say(gallery)).join(say('comma'))
}

async function addPictures(files: readonly File[]): Promise<void> {
  for (const file of files) {
    const still = list.value.find((one) => one.file === file)?.still
    const own = still && (await takeThumbnail(still.file).catch(() => undefined))
    const clip = still && URL.createObjectURL(file)
    const thumbnail = own ?? (await takeThumbnail(file).catch(() => undefined))
    change(file, clip ? { thumbnail, clip } : { thumbnail })
  }
}

const THUMBNAIL_HEIGHT = 240

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

/** @throws Error of what has no picture */
function thumbnailOf(picture: CanvasImageSource, ratio: number): string {
  if (!(ratio > 0)) throw new Error('There is no picture.')
  const width = Math.max(1, Math.round(THUMBNAIL_HEIGHT * ratio))
  return canvasOf(picture, width, THUMBNAIL_HEIGHT).toDataURL('image/jpeg', 0.8)
}

export function change(file: File, what: Partial<Listed>): void {
  list.value = list.value.map((one) => (one.file === file ? { ...one, ...what } : one))
}

/** Closes the file that is open: goes back to the list, if it is of one. @returns whether it is closed */
export async function leave(): Promise<boolean> {
  const listed = list.value.find(({ file }) => file === openOfList.value)
  if (!listed) return closeEditor()
  // From a photo without a video in the editor another one may have been made.
  if (opened.value || photos.value.length > listed.photos.length) change(listed.file, changesOf(listed))
  closeFile()
  return true
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

export function hasPhoto({ state }: Listed): boolean {
  return state === 'made' || state === 'saved'
}
