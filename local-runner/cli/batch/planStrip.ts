import { basename, join, parse, relative } from 'node:path'
import { ServiceError } from '@lantern-room/base'
import { equalBytes } from '@lantern-room/base/bytes'
import { type Extracted, stripFile } from '@lantern-room/formats/files'
import { type ByteSource, joinParts, readFrom, sizeOfParts } from '@lantern-room/mp4/source'
import type { MotionPhotoDependencies } from '../compose'
import { about } from '../failure'
import { withPhoto } from '../photoFile'
import { filesBelow, type PassedOver } from './findFiles'
import { namesLike } from './outputNames'
import type { OutputPlan } from './outputPlan'
import type { Place } from './survey'
import type { Strip, StripOutcome } from './tellStrip'

/** A part that is to be written. `isReplacing`: over a plain file. */
export type Planned = { readonly output: string; readonly isReplacing: boolean; readonly result?: undefined }

export type Surroundings = { readonly dependencies: MotionPhotoDependencies; readonly signal: AbortSignal }

/** Finds the files to be stripped, each once. @throws the signal's reason */
export async function findPlaces(
  { inputs, out, isRecursive }: Strip,
  passedOver: PassedOver,
  { dependencies: { files }, signal }: Surroundings,
): Promise<readonly Place[]> {
  const outId = out === undefined ? undefined : (await files.entryAt(out))?.id
  // ZIPs are large, and mostly something else.
  const isWanted = (name: string) => !/\.zip$/i.test(name)
  const places = new Map<string, Place>()
  for (const path of inputs) {
    for await (const place of filesBelow({ path }, { isRecursive, outId, isWanted, passedOver }, files)) {
      signal.throwIfAborted()
      const key = await files.realPlace(place.path)
      if (!places.has(key)) places.set(key, place)
    }
  }
  return [...places.values()]
}

/**
 * Decides where the part of a file goes, or that it is there already.
 * @throws ServiceError `unsupported-media` of what is no photo, and others
 */
export async function planPart(
  place: Place,
  command: Strip,
  plan: OutputPlan,
  { dependencies, signal }: Surroundings,
): Promise<Planned | StripOutcome> {
  const { path, error } = place
  if (error) return about(path, () => Promise.reject(error))
  return withPhoto(dependencies, path, async (source) => {
    const part = await readFrom(stripFile(source, command.what), source, signal)
    if (!part) return { result: 'no-motion-photo' }
    const family = namesLike(partPath(place, command, part.mediaType))
    const holder = { label: basename(path), path }
    for (const output of command.force ? [] : await plan.present(family)) {
      if (plan.isClaimed(output) || !(await isThere(output, part, source, dependencies))) continue
      plan.claim(output, family, holder)
      return { result: 'there', output }
    }
    const rules = { isExact: true, ...(command.force && { mayReplace: async () => true }) }
    const choice = await plan.choose(family, holder, rules)
    if (choice.problem !== undefined) throw new ServiceError('invalid-request', choice.problem)
    return { output: choice.path, isReplacing: choice.isReplacing }
  })
}

/** Whether what is there is this part, byte by byte. */
async function isThere(
  output: string,
  { parts }: Extracted,
  source: ByteSource,
  { files }: MotionPhotoDependencies,
): Promise<boolean> {
  const there = await files.openPhoto(output)
  if (there.size !== sizeOfParts(parts)) return false
  return equalBytes(await joinParts(parts, source), await there.read(0, there.size))
}

/** Beside the file, or at its place below `out`. The photo of a Live Photo has the ending of its format. */
function partPath({ path, folder }: Place, { what, out }: Strip, mediaType: keyof typeof ENDINGS): string {
  const place = folder === undefined ? basename(path) : relative(folder, path)
  const { dir, name, ext } = parse(out === undefined ? path : join(out, place))
  const isPicture = what === 'still' && /^\.(jpe?g|hei[cf]|avif)$/i.test(ext)
  const ending = isPicture ? ext : ENDINGS[mediaType]
  return join(dir, `${name}${out === undefined ? `_${what}` : ''}${ending}`)
}

const ENDINGS = {
  'image/jpeg': '.jpg',
  'image/heic': '.heic',
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
}
