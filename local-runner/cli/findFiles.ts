import { join } from 'node:path'
import { ServiceError } from '#core/errors'
import { isBundleName } from '#core/formats/livePhoto/bundleSource'
import { readPhoto } from '#core/formats/motionPhoto/read'
import { readFrom } from '#core/formats/source/reading'
import { readPhotoMarks, readVideoMarks, type VideoMarks } from '#core/media/capture/pair'
import { UsageError } from '../commandLine/readArguments'
import type { UserFiles } from './compose'
import type { BatchCommand } from './options/parseMotionPhotoCommand'
import { isPhotoName } from './options/readOptions'

/** A file that was named, or was found in a folder that was; or a folder that cannot be read, with the reason. */
type Place = { readonly path: string; readonly folder?: string; readonly problem?: string }

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
  for (const path of batch.paths) {
    for await (const place of placesIn({ path }, batch, files)) found.push(await survey(place, files, signal))
  }
  if (batch.given.has('force') && found.some(({ folder }) => folder !== undefined))
    throw new UsageError('--force is not for folders: nothing is overwritten.')
  return found
}

async function* placesIn(place: Place, batch: BatchCommand, files: UserFiles): AsyncGenerator<Place, void> {
  const { path, folder = path } = place
  let problem: string | undefined
  const listed = isBundleName(path)
    ? undefined
    : await files.listNames(path).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error
        problem = error.detail
        return undefined
      })
  if (listed && path === batch.out)
    throw new UsageError('--out must be another folder than that of the photos.')
  if (!listed) yield problem === undefined ? place : { ...place, problem }
  if (!listed) return
  for (const name of listed.files) if (SOURCE.test(name)) yield { path: join(path, name), folder }
  const isSource = (name: string) =>
    isBundleName(name) || (batch.given.has('recursive') && join(path, name) !== batch.out)
  for (const name of listed.folders.filter(isSource))
    yield* placesIn({ path: join(path, name), folder }, batch, files)
}

const UNMARKED = { identifier: undefined, time: undefined, stillTimeUs: undefined, seconds: undefined }

/** What cannot be read is refused when its turn comes. */
async function survey(place: Place, files: UserFiles, signal: AbortSignal): Promise<FoundFile> {
  const { path } = place
  const asItIs: FoundFile = { ...place, kind: 'whole', marks: UNMARKED }
  if (place.problem !== undefined || isBundleName(path) || /\.(zip|livp)$/i.test(path)) return asItIs
  try {
    const source = await files.openPhoto(path)
    if (!isPhotoName(path))
      return { ...place, kind: 'video', marks: await readFrom(readVideoMarks(source), source, signal) }
    const photo = await readFrom(readPhoto(source), source, signal)
    const marks = photo && (await readFrom(readPhotoMarks(source, photo), source, signal))
    return { ...asItIs, kind: photo && !photo.clip ? 'photo' : 'whole', marks: { ...UNMARKED, ...marks } }
  } catch (error) {
    if (error instanceof ServiceError) return asItIs
    throw error
  }
}
