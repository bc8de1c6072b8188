import { dirname, parse } from 'node:path'
import { ServiceError } from '#core/errors'
import { checkPair, MAX_SECONDS_APART, secondsApart } from '#core/media/capture/pair'
import type { FoundFile } from './findFiles'

type Found = Pick<FoundFile, 'path' | 'marks'>

/**
 * Finds the photo of each video: by the identifier that phones write into both, then by name, then by a name that a program has
 * changed (`IMG_0011-1.JPEG`, `IMG_0011_HEVC.MOV`). By names only those of one folder and one time are joined.
 */
export function pairFiles<File extends Found>(
  photos: readonly File[],
  videos: readonly File[],
): ReadonlyMap<File, File> {
  const pairs = new Map<File, File>()
  const joined = new Set<File>()
  for (const isPair of [haveOneIdentifier, haveOneName, haveNearlyOneName]) {
    const free = videos.flatMap((video) =>
      joined.has(video)
        ? []
        : photos.filter((photo) => isPair(photo, video)).map((photo) => ({ photo, video })),
    )
    for (const { photo, video } of free.sort((a, b) => distanceOf(a) - distanceOf(b))) {
      if (pairs.has(photo) || joined.has(video)) continue
      pairs.set(photo, video)
      joined.add(video)
    }
  }
  return pairs
}

/** Why a photo is no pair with a video of its name; undefined where there is none. */
export function strangerOf(photo: Found, videos: readonly Found[]): string | undefined {
  const namesakes = videos.filter((video) => isNamesake(photo, video, (name) => name))
  return namesakes.map((video) => problemOf(photo, video)).find((problem) => problem !== undefined)
}

function haveOneIdentifier(photo: Found, video: Found): boolean {
  return photo.marks.identifier !== undefined && photo.marks.identifier === video.marks.identifier
}

function haveOneName(photo: Found, video: Found): boolean {
  return isNamesake(photo, video, (name) => name) && problemOf(photo, video) === undefined
}

/** Here the time has to say that they belong together. */
function haveNearlyOneName(photo: Found, video: Found): boolean {
  const isTimed = photo.marks.time !== undefined && video.marks.time !== undefined
  return isTimed && isNamesake(photo, video, plainName) && problemOf(photo, video) === undefined
}

function isNamesake(photo: Found, video: Found, nameOf: (stem: string) => string): boolean {
  const [name, other] = [photo, video].map(({ path }) => nameOf(parse(path).name.toLowerCase()))
  return name === other && dirname(photo.path) === dirname(video.path)
}

/** Without the number of a copy, iCloud's mark of a video, and an iPhone's of an edited photo. */
function plainName(stem: string): string {
  return stem.replace(/( ?\(\d+\)|-\d+|_hevc)$/, '').replace(/^img_e(?=\d)/, 'img_')
}

/** The same name first, then the closest time, then one that is not known. */
function distanceOf({ photo, video }: { readonly photo: Found; readonly video: Found }): number {
  const isOneName = isNamesake(photo, video, (name) => name)
  const apart = secondsApart(photo.marks.time, video.marks.time) ?? MAX_SECONDS_APART
  return apart + (isOneName ? 0 : 1e9)
}

function problemOf(photo: Found, video: Found): string | undefined {
  try {
    checkPair(photo.marks, video.marks)
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.detailIn((word) => (word === 'file' ? parse(video.path).base : word))
  }
}
