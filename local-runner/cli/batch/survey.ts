import { ServiceError } from '@lantern-room/base'
import { readPhoto } from '@lantern-room/formats'
import { findLivePair, isZip, openUnpacked } from '@lantern-room/formats/files'
import {
  checkContent,
  readPhotoMarks,
  readVideoMarks,
  sniff,
  sourceKind,
  stillImage,
  type VideoMarks,
} from '@lantern-room/media/files'
import { refusals } from '@lantern-room/media/make'
import type { ByteSource } from '@lantern-room/mp4/source'
import { readFrom } from '@lantern-room/mp4/source'
import type { UserFiles } from '../compose'
import { endsAll, failureOf } from '../failure'
import { isPhotoName } from '../options/fileNames'

/** A file that was named, or was found in a folder that was; or a folder that cannot be read, with the reason. */
export type Place = { readonly path: string; readonly folder?: string; readonly error?: ServiceError }

/** `skipped` is what is right as it is. */
export type Problem = { readonly kind: 'skipped' | 'refused'; readonly text: string }

export type FoundFile = Place & {
  /** `animation` and `whole` are no part of a pair; the latter has its own picture, as a motion photo does. */
  readonly kind: 'photo' | 'video' | 'animation' | 'whole'
  readonly marks: VideoMarks
  /** Of a photo, by its content. */
  readonly isHeic?: boolean
  /** Why nothing becomes of it, as far as that is known without decoding. */
  readonly problem?: Problem
}

const UNMARKED = { identifier: undefined, time: undefined, stillTimeUs: undefined, seconds: undefined }

/** A file that is made under another name. */
export function sameAs(original: Place, place: Place): FoundFile {
  return { ...place, kind: 'whole', marks: UNMARKED, problem: skipped(`the same file as ${original.path}`) }
}

/** Looks into a file: what it is, by its content, and what it says by which a pair is found. */
export async function survey(place: Place, files: UserFiles, signal: AbortSignal): Promise<FoundFile> {
  const asItIs: FoundFile = { ...place, kind: 'whole', marks: UNMARKED }
  if (place.error) return { ...asItIs, problem: refused(place.error) }
  try {
    return { ...asItIs, ...(await look(place, files, signal)) }
  } catch (error) {
    signal.throwIfAborted()
    if (endsAll(error)) throw error
    return { ...asItIs, problem: refused(error) }
  }
}

function refused(error: unknown): Problem {
  return { kind: 'refused', text: error instanceof ServiceError ? error.detail : failureOf(error).sentence }
}

type Look = Pick<FoundFile, 'kind' | 'marks' | 'isHeic' | 'problem'>

async function look(place: Place, files: UserFiles, signal: AbortSignal): Promise<Look> {
  const { path, folder } = place
  let head = new Uint8Array()
  await files.readInputHead(path, (bytes) => {
    head = new Uint8Array(bytes)
  })
  // A screenshot among photos is nothing wrong.
  if (folder !== undefined && sniff(head) === 'still-image') return stillPicture()
  const kind = sourceKind(head)
  const source = await files.openPhoto(path)
  if (isZip(head)) return lookIntoZip(source, place, signal)
  if (kind === 'photo') return lookAtPhoto(source, place, signal)
  await checkContent(source)
  if (kind !== 'video') return { kind: 'animation', marks: UNMARKED }
  return { kind: 'video', marks: await readFrom(readVideoMarks(source), source, signal) }
}

async function lookIntoZip(source: ByteSource, { path, folder }: Place, signal: AbortSignal): Promise<Look> {
  try {
    const unpacked = await refusals(openUnpacked(source, signal))
    await refusals(readFrom(findLivePair(unpacked), unpacked, signal))
    return { kind: 'whole', marks: UNMARKED }
  } catch (error) {
    // Folders have ZIPs of all kinds.
    if (!(error instanceof ServiceError) || folder === undefined || !/\.zip$/i.test(path)) throw error
    return { kind: 'whole', marks: UNMARKED, problem: skipped('a ZIP without a Live Photo') }
  }
}

async function lookAtPhoto(source: ByteSource, { path, folder }: Place, signal: AbortSignal): Promise<Look> {
  const photo = await readFrom(readPhoto(source), source, signal)
  const marks = photo && { ...UNMARKED, ...(await readFrom(readPhotoMarks(source, photo), source, signal)) }
  if (!photo || !marks) return { kind: 'whole', marks: UNMARKED }
  const isHeic = photo.format === 'heic'
  if (photo.clip) return { kind: 'whole', marks, isHeic }
  if (isPhotoName(path)) return { kind: 'photo', marks, isHeic }
  if (folder === undefined) throw stillImage()
  return stillPicture()
}

function stillPicture(): Look {
  return { kind: 'whole', marks: UNMARKED, problem: skipped('a still picture') }
}

function skipped(text: string): Problem {
  return { kind: 'skipped', text }
}
