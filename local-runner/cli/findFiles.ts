import { join } from 'node:path'
import { ServiceError } from '#core/errors'
import { isBundleName } from '#core/formats/livePhoto/bundleSource'
import { readPhoto } from '#core/formats/motionPhoto/read'
import { readFrom } from '#core/formats/source/reading'
import { readPhotoMarks, readVideoMarks, type VideoMarks } from '#core/media/capture/pair'
import { UsageError } from '../commandLine/readArguments'
import type { UserFiles } from './compose'
import { endsAll } from './failure'
import { isPhotoName } from './options/fileNames'
import type { BatchCommand } from './options/parseMotionPhotoCommand'

/** A file that was named, or was found in a folder that was; or a folder that cannot be read, with the reason. */
export type Place = { readonly path: string; readonly folder?: string; readonly error?: ServiceError }

/** `whole`: what is no part of a pair, such as a motion photo. */
export type FoundFile = Place & { readonly kind: 'photo' | 'video' | 'whole'; readonly marks: VideoMarks }

const SOURCE = /^[^.].*\.(jpe?g|hei[cf]|livp|mov|mp4|m4v|3gp|mkv|webm|avi)$/i

/**
 * The files of a batch: those that were named, and the photos and videos in folders.
 * @throws UsageError, the signal's reason
 */
export async function findFiles(
  batch: BatchCommand,
  files: UserFiles,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  const { given, out } = batch
  const search = { isRecursive: given.has('recursive'), out, isWanted: (name: string) => SOURCE.test(name) }
  for (const path of batch.paths) {
    if (path === out && (await files.listNames(path).catch(() => undefined)))
      throw new UsageError('--out must be another folder than that of the photos.')
    for await (const place of filesBelow({ path }, search, files))
      found.push(await survey(place, files, signal))
  }
  if (given.has('force') && found.some(({ folder }) => folder !== undefined))
    throw new UsageError('--force is not for folders: nothing is overwritten.')
  return found
}

type Search = {
  readonly isRecursive: boolean
  /** Where the results go: it is not searched. */
  readonly out: string | undefined
  readonly isWanted: (name: string) => boolean
  /** Of folders below the one that was named; default: all. */
  readonly isSearched?: (name: string) => boolean
}

/** The file that is named, which a bundle is, too; or those in the folder that is, in order. */
export async function* filesBelow(
  place: Place,
  search: Search,
  files: Pick<UserFiles, 'listNames'>,
): AsyncGenerator<Place, void> {
  const { path, folder = path } = place
  const { isRecursive, out, isWanted, isSearched = () => true } = search
  const listed = isBundleName(path) ? undefined : await files.listNames(path).catch(asFailure)
  if (listed === undefined) yield place
  else if (listed instanceof ServiceError) yield { ...place, error: listed }
  else {
    for (const name of listed.files.filter(isWanted)) yield { path: join(path, name), folder }
    for (const name of listed.folders.filter(isSearched)) {
      const inner = join(path, name)
      if (isBundleName(name) || (isRecursive && inner !== out))
        yield* filesBelow({ path: inner, folder }, search, files)
    }
  }
}

function asFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  throw error
}

const UNMARKED = { identifier: undefined, time: undefined, stillTimeUs: undefined, seconds: undefined }

/** What cannot be read is refused when its turn comes. */
async function survey(place: Place, files: UserFiles, signal: AbortSignal): Promise<FoundFile> {
  const { path } = place
  const asItIs: FoundFile = { ...place, kind: 'whole', marks: UNMARKED }
  if (place.error || isBundleName(path) || /\.(zip|livp)$/i.test(path)) return asItIs
  try {
    const source = await files.openPhoto(path)
    if (!isPhotoName(path))
      return { ...place, kind: 'video', marks: await readFrom(readVideoMarks(source), source, signal) }
    const photo = await readFrom(readPhoto(source), source, signal)
    const marks = photo && (await readFrom(readPhotoMarks(source, photo), source, signal))
    return { ...asItIs, kind: photo && !photo.clip ? 'photo' : 'whole', marks: { ...UNMARKED, ...marks } }
  } catch (error) {
    signal.throwIfAborted()
    if (endsAll(error)) throw error
    return asItIs
  }
}
