import { wallClock } from '@lantern-room/formats/browser'
import type { MotionPhotoProfile } from '@lantern-room/formats/make'
import { type PhotoWords, planWords, type WordKind } from '@lantern-room/formats/words'
import { timeZoneOf } from '@lantern-room/media/browser'
import { type ByteSource, bytesSource, type FileParts, joinParts, readFrom } from '@lantern-room/mp4/source'
import { withEntry } from '../archives/exportEntry'
import { baseOf, endingOf } from '../names/paths'
import { zoneAt } from '../words/zoneAt'
import type { ExportWords } from './exportWords'
import type { Item } from './items'
import { joinPair } from './joinPair'
import { type AlbumChoice, copyName, type Folder, joinedName, type Place, placeOf } from './placeWork'
import type { Work } from './planTakeout'

/** Where results go. */
export type Results = {
  /** Writes a file under the first of its names that is free. @returns where it is @throws ServiceError */
  write(folder: Folder, name: string, content: Content): Promise<string>
  /** Names a result in another folder, too. */
  link(folder: Folder, output: string): Promise<void>
}

export type Content = {
  readonly parts: FileParts
  readonly source: ByteSource
  /** Path of the source, where it is a file of its own. */
  readonly original: string | undefined
  readonly modifiedMs: number | undefined
}

/** What became of a file, without its copies. */
export type Outcome = {
  readonly item: Item
  readonly status: 'made' | 'copied' | 'merged' | 'left'
  readonly output?: string | undefined
  readonly reason?: string | undefined
}

export type Doing = {
  readonly results: Results
  readonly signal: AbortSignal
  readonly albums: AlbumChoice
  /** The galleries that pairs are joined for; undefined: they stay pairs. */
  readonly profile: MotionPhotoProfile | undefined
  readonly words: ExportWords
  readonly software: string
  /** Minutes that the clocks of this machine are ahead of UTC. */
  readonly localZone: (unixMs: number) => number
}

/** A photo in memory. More than any phone writes. */
const MAX_STILL_BYTES = 96 * 1024 * 1024

/**
 * Writes a photo or video with what belongs to it.
 * @returns what became of each of its files
 * @throws ServiceError about one of them
 */
export async function doWork(work: Work, doing: Doing): Promise<readonly Outcome[]> {
  const { item, clip, left, inside } = work
  if (left !== undefined)
    return [item, clip, inside].flatMap((one) =>
      one ? [{ item: one, status: 'left' as const, reason: left }] : [],
    )
  const place = placeOf(work, doing.words, doing.albums)
  const merged: readonly Outcome[] = inside
    ? [{ item: inside, status: 'merged', reason: 'its photo has it inside' }]
    : []
  const missing = work.lacksClip ? ['its clip is not in the export'] : []
  const notes = [...missing, ...place.untold.map((title) => `also in the album ${title}`)]
  const joined = clip && doing.profile ? await join(work, clip, doing.profile, place, doing) : undefined
  if (joined?.output !== undefined) {
    const { output, reasons } = joined
    await link(output, place, doing)
    return [
      { item, status: 'made', output, reason: sentence([...reasons, ...notes]) },
      ...(clip ? [{ item: clip, status: 'merged' as const, output }] : []),
      ...merged.map((one) => ({ ...one, output })),
    ]
  }
  const problem = joined?.problem === undefined ? [] : [`not joined: ${joined.problem}`]
  const { output, added } = await copy(item, work, place, doing)
  await link(output, place, doing)
  const all: Outcome[] = [
    { item, status: 'copied', output, reason: sentence([...writtenText(added), ...problem, ...notes]) },
    ...merged.map((one) => ({ ...one, output })),
  ]
  if (!clip) return all
  // The two of a pair keep one name.
  const name = baseOf(output.replaceAll('\\', '/'))
  const stem = name.slice(0, name.length - endingOf(name).length)
  const beside = `${stem}${endingOf(copyName(clip.entries[0].plain, true))}`
  const other = await copy(clip, { ...work, item: clip }, place, doing, beside)
  await link(other.output, place, doing)
  return [...all, { item: clip, status: 'copied', output: other.output, reason: sentence(problem) }]
}

function sentence(reasons: readonly string[]): string | undefined {
  return reasons.length === 0 ? undefined : reasons.join('; ')
}

function writtenText(added: readonly WordKind[]): readonly string[] {
  return added.length === 0 ? [] : [`written into it: ${added.join(', ')}`]
}

async function link(output: string, { links }: Place, { results }: Doing): Promise<void> {
  for (const folder of links) await results.link(folder, output)
}

async function copy(item: Item, work: Work, place: Place, doing: Doing, name?: string) {
  const [entry] = item.entries
  const isVideo = item.survey.kind === 'video'
  return withEntry(entry, 'whole', async (source) => {
    const planned = isVideo
      ? undefined
      : await readFrom(planWords(source, wordsOf(work, place)), source, doing.signal, WINDOW_BYTES)
    const parts = planned?.parts ?? [{ start: 0, end: source.size }]
    const content = { parts, source, original: entry.original, modifiedMs: fileTimeOf(work, doing) }
    const output = await doing.results.write(place.folder, name ?? copyName(entry.plain, isVideo), content)
    return { output, added: planned?.added ?? [] }
  })
}

const WINDOW_BYTES = 64 * 1024

type Joining =
  | { readonly output: string; readonly reasons: readonly string[]; readonly problem?: undefined }
  | { readonly problem: string; readonly output?: undefined }

async function join(
  work: Work,
  clip: Item,
  profile: MotionPhotoProfile,
  place: Place,
  doing: Doing,
): Promise<Joining> {
  const { item } = work
  const [entry] = item.entries
  if (entry.size > MAX_STILL_BYTES) return { problem: `the photo has ${entry.size} bytes` }
  return withEntry(entry, 'whole', async (source) => {
    const planned = await readFrom(planWords(source, wordsOf(work, place)), source, doing.signal)
    const still = await joinParts(planned?.parts ?? [{ start: 0, end: source.size }], source)
    const made = await withEntry(clip.entries[0], 'whole', (film: ByteSource) =>
      joinPair(still, film, {
        profile,
        software: doing.software,
        stillTimeUs: clip.survey.marks.stillTimeUs,
      }),
    )
    if (made.problem !== undefined) return { problem: made.problem }
    const file = bytesSource(made.bytes)
    const content = {
      parts: [made.bytes],
      source: file,
      original: undefined,
      modifiedMs: fileTimeOf(work, doing),
    }
    const output = await doing.results.write(place.folder, joinedName(entry.plain, made.isHeic), content)
    return { output, reasons: [...writtenText(planned?.added ?? []), ...made.notes] }
  })
}

/** What the photo is to say where it says nothing itself. The zone is that of the place; without one the time is shown in UTC. */
function wordsOf({ item, said }: Work, { keywords }: Place): PhotoWords {
  const { takenMs, place, description, isFavourite, people } = said
  const zone = zoneOf(item.survey.still?.own.place ?? place)
  const clock = takenMs === undefined ? undefined : wallClock(new Date(takenMs), zone?.(takenMs) ?? 0)
  return {
    takenAt: clock && { ...clock, millisecond: undefined },
    place,
    description,
    rating: isFavourite ? 5 : undefined,
    people,
    keywords,
  }
}

/** Zones by their names: it takes a while to make one. */
const zones = new Map<string, ReturnType<typeof timeZoneOf>>()

function zoneOf(place: Parameters<typeof zoneAt>[0] | undefined) {
  const name = place && zoneAt(place)
  if (name === undefined) return undefined
  if (!zones.has(name)) zones.set(name, timeZoneOf(name))
  return zones.get(name)
}

/** When it was taken, by the export, then by itself; else when the file was changed, which of an archive says nothing. */
function fileTimeOf({ said, time, item }: Work, { localZone }: Doing): number | undefined {
  if (said.takenMs !== undefined) return said.takenMs
  if (!time) return item.entries[0].modifiedMs
  if (!time.isLocal) return time.unixMs
  const zone = zoneOf(item.survey.still?.own.place) ?? localZone
  return time.unixMs - zone(time.unixMs) * 60_000
}
