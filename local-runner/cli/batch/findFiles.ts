import { extname, join } from 'node:path'
import { ServiceError } from '@lantern-room/base'
import { isBundleName } from '@lantern-room/formats/files'
import { SOURCE_ENDINGS } from '@lantern-room/media/files'
import { UsageError } from '../../commandLine/readArguments'
import type { UserFiles } from '../compose'
import type { BatchCommand } from '../options/parseMotionPhotoCommand'
import { type FoundFile, type Place, sameAs, survey } from './survey'

/** What folders have and is not looked at: how many of each ending, in words. */
export type PassedOver = Map<string, number>

/**
 * The files of a batch: those that were named, and what in folders may become a photo, by its ending. A file that is named twice, or is in a
 * folder that is named as well, is one; what has two names, by a link, is so only by the first.
 * @throws UsageError, the signal's reason
 */
export async function findFiles(
  batch: BatchCommand,
  files: UserFiles,
  signal: AbortSignal,
): Promise<{ readonly found: readonly FoundFile[]; readonly passedOver: PassedOver }> {
  const places = new Map<string, Place>()
  const { given, out } = batch
  const passedOver: PassedOver = new Map()
  const outId = (await files.entryAt(out))?.id
  const search = { isRecursive: given.has('recursive'), outId, isWanted: isSource, passedOver }
  for (const path of batch.paths) {
    if (outId !== undefined && (await files.entryAt(path))?.id === outId)
      throw new UsageError('--out must be another folder than that of the photos.')
    for await (const place of filesBelow({ path }, search, files)) {
      signal.throwIfAborted()
      const key = await files.realPlace(place.path)
      if (!places.has(key)) places.set(key, place)
    }
  }
  const all: FoundFile[] = []
  const originals = await originalsOf([...places.values()], files)
  for (const place of places.values()) {
    signal.throwIfAborted()
    const original = originals.get(place)
    all.push(original ? sameAs(original, place) : await survey(place, files, signal))
  }
  if (given.has('force') && all.some(({ folder }) => folder !== undefined))
    throw new UsageError('--force is not for folders: nothing is overwritten.')
  return { found: all, passedOver }
}

/**
 * Of places that are of a file which another place is of, too, that one: the first that is no link, by which a link that comes later
 * changes nothing.
 */
async function originalsOf(
  places: readonly Place[],
  files: Pick<UserFiles, 'entryAt'>,
): Promise<ReadonlyMap<Place, Place>> {
  const byId = new Map<string, { readonly place: Place; readonly isLink: boolean }[]>()
  for (const place of places) {
    const entry = await files.entryAt(place.path).catch(() => undefined)
    if (!entry || place.error) continue
    byId.set(entry.id, [...(byId.get(entry.id) ?? []), { place, isLink: entry.kind === 'link' }])
  }
  const originals = new Map<Place, Place>()
  for (const names of byId.values()) {
    const original = (names.find(({ isLink }) => !isLink) ?? names[0])?.place
    for (const { place } of names) if (original && place !== original) originals.set(place, original)
  }
  return originals
}

function isSource(name: string): boolean {
  return SOURCE_ENDINGS.has(extname(name).slice(1).toLowerCase())
}

type Search = {
  readonly isRecursive: boolean
  /** Where the results go, as `entryAt` knows it: it is not searched. */
  readonly outId: string | undefined
  /** Whether a file that is not hidden is looked at. */
  readonly isWanted: (name: string) => boolean
  /** Counts what is not. */
  readonly passedOver: PassedOver
}

/**
 * The file that is named, which a bundle is, too; or those in the folder that is, in order. What is hidden there is not looked at, in any
 * command; it has to be named.
 */
export async function* filesBelow(
  place: Place,
  search: Search,
  files: Pick<UserFiles, 'listNames' | 'entryAt'>,
): AsyncGenerator<Place, void> {
  const { path, folder = path } = place
  const listed = isBundleName(path) ? undefined : await files.listNames(path).catch(asFailure)
  if (listed === undefined) return yield place
  if (listed instanceof ServiceError) return yield { ...place, error: listed }
  const wanted = passOver(listed, search)
  for (const name of wanted.files) yield { path: join(path, name), folder }
  for (const name of wanted.folders) {
    const inner = join(path, name)
    if (isBundleName(name)) yield { path: inner, folder }
    else if (search.outId === undefined || (await files.entryAt(inner))?.id !== search.outId)
      yield* filesBelow({ path: inner, folder }, search, files)
  }
}

type Listed = NonNullable<Awaited<ReturnType<UserFiles['listNames']>>>

/** What is looked at of a folder; the rest is counted. */
function passOver({ files, folders, others }: Listed, { isRecursive, isWanted, passedOver }: Search) {
  for (const _ of others) count(passedOver, 'links to folders or to nothing, or no files')
  return {
    files: files.filter((name) => {
      const ending = isHidden(name) ? 'hidden' : extname(name).toLowerCase() || 'without an ending'
      return (!isHidden(name) && isWanted(name)) || count(passedOver, ending)
    }),
    folders: folders.filter((name) => {
      const isSearched = isRecursive || isBundleName(name)
      const what = isHidden(name) ? 'hidden' : 'folders (--recursive)'
      return (!isHidden(name) && isSearched) || count(passedOver, what)
    }),
  }
}

function isHidden(name: string): boolean {
  return name.startsWith('.')
}

function count(passedOver: PassedOver, what: string): false {
  passedOver.set(what, (passedOver.get(what) ?? 0) + 1)
  return false
}

function asFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  throw error
}
