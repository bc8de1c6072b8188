import { ServiceError } from '@lantern-room/base'
import { checkPair, secondsApart, type VideoMarks } from './pair'

/** A photo or video, and what it says by which the two of a pair find each other. */
type Found = {
  /** With slashes of either kind, or a name alone. */
  readonly path: string
  readonly marks: VideoMarks
}

/**
 * Finds the photo of each video: by the identifier that phones write into both, then by name, then by a name that a program has
 * changed (`IMG_0011-1.JPEG`, `IMG_0011_HEVC.MOV`). By names only those of one folder and one time are joined.
 * @example pairFiles(photos, videos).get(photo)
 */
export function pairFiles<File extends Found>(
  photos: readonly File[],
  videos: readonly File[],
): ReadonlyMap<File, File> {
  const near = nearVideos(videos)
  const ranked = photos.flatMap((photo) =>
    near(photo).map((video) => ({ photo, video, rank: rankOf(photo, video) })),
  )
  const pairs = new Map<File, File>()
  const joined = new Set<File>()
  for (const { photo, video, rank } of ranked.sort((a, b) => a.rank - b.rank)) {
    if (rank === Number.POSITIVE_INFINITY || pairs.has(photo) || joined.has(video)) continue
    pairs.set(photo, video)
    joined.add(video)
  }
  return pairs
}

/**
 * @returns the videos that a photo may be joined with: those of its identifier, and those in its folder whose name is like its own
 * @example nearVideos(videos)(photo)
 */
export function nearVideos<File extends Found>(videos: readonly File[]): (photo: Found) => readonly File[] {
  const byKey = new Map<string, File[]>()
  for (const video of videos)
    for (const key of keysOf(video)) byKey.set(key, [...(byKey.get(key) ?? []), video])
  return (photo) => [...new Set(keysOf(photo).flatMap((key) => byKey.get(key) ?? []))]
}

function keysOf({ path, marks: { identifier } }: Found): readonly string[] {
  const { folder, stem } = partsOf(path)
  const name = JSON.stringify([folder, plainName(stem)])
  return identifier === undefined ? [name] : [name, `identifier ${identifier}`]
}

/**
 * Why a photo is no pair with a video of its name; undefined where there is none.
 * @example strangerOf(photo, videos)
 */
export function strangerOf(photo: Found, videos: readonly Found[]): string | undefined {
  const problems = videos.map((video) => (haveOneName(photo, video) ? problemOf(photo, video) : undefined))
  return problems.find((problem) => problem !== undefined)
}

/** The lower, the more surely they are a pair; infinite for those that are none. A time that is not known comes last. */
function rankOf(photo: Found, video: Found): number {
  const [identifier, other] = [photo.marks.identifier, video.marks.identifier]
  const isOneName = haveOneName(photo, video)
  if (identifier !== undefined && identifier === other) return isOneName ? 0 : 1
  const apart = secondsApart(photo.marks.time, video.marks.time)
  // Where a name was changed, the time has to say that they belong together.
  const isNear = isOneName || (apart !== undefined && haveOneName(photo, video, plainName))
  if (!isNear || problemOf(photo, video) !== undefined) return Number.POSITIVE_INFINITY
  return (isOneName ? 10 : 20) + (apart ?? 9)
}

function haveOneName(photo: Found, video: Found, nameOf = (stem: string) => stem): boolean {
  const [own, other] = [partsOf(photo.path), partsOf(video.path)]
  return own.folder === other.folder && nameOf(own.stem) === nameOf(other.stem)
}

/** The folder of a file, its name, and that without its ending in small letters. */
function partsOf(path: string) {
  const [, folder = '', name = ''] = /^(.*[\\/])?(.*)$/s.exec(path) ?? []
  return { folder, name, stem: name.replace(/(?<=.)\.[^.]*$/, '').toLowerCase() }
}

/** Without the number of a copy, iCloud's mark of a video, and an iPhone's of an edited photo. */
function plainName(stem: string): string {
  return stem.replace(/( ?\(\d+\)|-\d+|_hevc)$/, '').replace(/^img_e(?=\d)/, 'img_')
}

function problemOf(photo: Found, video: Found): string | undefined {
  try {
    checkPair(photo.marks, video.marks)
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.detailIn((word) => (word === 'file' ? partsOf(video.path).name : word))
  }
}
