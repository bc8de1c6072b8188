import { pairFiles, timeOfFiles } from '@lantern-room/media/browser'
import { type ExportEntry, withEntry } from '../archives/exportEntry'
import { clipNames, originalStem, partsOf } from '../names/nameParts'
import { baseOf, folderOf } from '../names/paths'
import { folded } from '../names/spelling'
import { joinSaid, NOTHING_SAID, type Said } from '../words/said'
import type { ExportWords } from './exportWords'
import { holdsClip } from './holdsClip'
import type { Item } from './items'

/** Which versions of edited photos are taken. */
export type Editions = 'both' | 'originals' | 'edited'

/** What becomes of a photo or video. */
export type Work = {
  readonly item: Item
  /** Its clip, which lies beside it. */
  readonly clip: Item | undefined
  /** A clip beside it that it has inside already. */
  readonly inside: Item | undefined
  readonly said: Said
  /** When it was taken, by itself, its clip or its name. */
  readonly time: ReturnType<typeof timeOfFiles>
  readonly albums: readonly string[]
  /** Why it is not in the result, by choice. */
  readonly left: string | undefined
  /** Whether it says that it has a clip, and none is in the export. */
  readonly lacksClip: boolean
}

/**
 * Decides which files of an export belong together: pairs by the identifiers that phones write and by their names, clips that are in
 * their photo already by their content, and edited versions.
 */
export async function planTakeout(
  items: readonly Item[],
  words: ExportWords,
  { editions, now }: { readonly editions: Editions; readonly now: number },
): Promise<readonly Work[]> {
  const pairs = pairsOf(items)
  const inside = new Map<Item, Item>()
  for (const [photo, film] of pairs) {
    if (!photo.survey.clip) continue
    pairs.delete(photo)
    if (await isInside(photo, film)) inside.set(photo, film)
  }
  const taken = new Set([...pairs.values(), ...inside.values()])
  const byName = namesOf(items)
  return items
    .filter((item) => !taken.has(item))
    .map((item) => {
      const [clip, own] = [pairs.get(item), inside.get(item)]
      return {
        item,
        clip,
        inside: own,
        said: saidOf([item, clip, own], words),
        time: timeOf(item, clip, now),
        albums: [...new Set(item.entries.flatMap((entry) => words.albumsOf(entry)))],
        left: leftOf(item, byName, editions),
        lacksClip: lacksClip(item, clip),
      }
    })
}

function timeOf({ entries, survey }: Item, clip: Item | undefined, now: number) {
  const clocks = { photo: survey.marks.clocks?.photo, video: (clip?.survey ?? survey).marks.clocks?.video }
  return timeOfFiles(clocks, { fileName: baseOf(entries[0].plain), now })
}

function lacksClip({ survey: { clip, still } }: Item, pair: Item | undefined): boolean {
  return !clip && !pair && (still?.isMarked === true || still?.isLive === true)
}

/** What is said of any of the copies, first of the photo. */
function saidOf(items: readonly (Item | undefined)[], words: ExportWords): Said {
  const entries = items.flatMap((item) => (item ? item.entries : []))
  return entries.map((entry) => words.saidOf(entry)).reduce(joinSaid, NOTHING_SAID)
}

type Named = { readonly item: Item; readonly path: string; readonly marks: Item['survey']['marks'] }

/** Photos with their videos. Each copy of a file counts with its own folder. */
function pairsOf(items: readonly Item[]): Map<Item, Item> {
  const photos = items.filter(({ survey }) => survey.kind === 'photo' && survey.still)
  const films = items.filter(({ survey }) => survey.kind === 'video')
  const named = pairFiles(
    photos.flatMap((item) => namedAs(item, (name) => [photoName(name)])),
    films.flatMap((item) => namedAs(item, clipNames)),
  )
  const pairs = new Map<Item, Item>()
  const joined = new Set<Item>()
  for (const [photo, film] of named) {
    if (pairs.has(photo.item) || joined.has(film.item)) continue
    pairs.set(photo.item, film.item)
    joined.add(film.item)
  }
  return pairs
}

/** @param namesOf a file may be called in several ways */
function namedAs(item: Item, namesOf: (name: string) => readonly string[]): readonly Named[] {
  const { marks } = item.survey
  return item.entries.flatMap(({ plain }) =>
    namesOf(baseOf(plain)).map((name) => ({ item, path: `${folded(folderOf(plain))}/${name}`, marks })),
  )
}

/** The number of a copy stands where clips have it. */
function photoName(name: string): string {
  const { stem, ending, number } = partsOf(name)
  return `${stem}${number === undefined ? '' : `(${number})`}${ending}`
}

function isInside(photo: Item, film: Item): Promise<boolean> {
  const { clip } = photo.survey
  if (!clip) return Promise.resolve(false)
  return withEntry(photo.entries[0], 'parts', (one) =>
    withEntry(film.entries[0], 'parts', (other) => holdsClip(one, clip, other)),
  )
}

type Names = { readonly originals: ReadonlySet<string>; readonly edited: ReadonlySet<string> }

const keyOf = (folder: string, stem: string, number: number | undefined) =>
  `${folded(folder)}/${folded(stem)} ${number ?? ''}`

/** The names of all files, and of the originals of those that are edited. */
function namesOf(items: readonly Item[]): Names {
  const originals = new Set<string>()
  const edited = new Set<string>()
  for (const { plain } of items.filter(isPicture).flatMap(({ entries }) => entries)) {
    const { stem, ending, number } = partsOf(baseOf(plain))
    originals.add(keyOf(folderOf(plain), stem, number))
    const original = originalStem(stem, ending)
    if (original !== undefined) edited.add(keyOf(folderOf(plain), original, number))
  }
  return { originals, edited }
}

function isPicture({ survey }: Item): boolean {
  return survey.kind === 'photo'
}

/** An edited version counts as one only beside its original, and the other way round. */
function leftOf(item: Item, { originals, edited }: Names, editions: Editions): string | undefined {
  if (editions === 'both' || !isPicture(item)) return undefined
  const isOne = ({ plain }: ExportEntry) => {
    const { stem, ending, number } = partsOf(baseOf(plain))
    const original = originalStem(stem, ending)
    if (editions === 'edited') return edited.has(keyOf(folderOf(plain), stem, number))
    return original !== undefined && originals.has(keyOf(folderOf(plain), original, number))
  }
  if (!item.entries.some(isOne)) return undefined
  return editions === 'edited'
    ? 'its edited version is taken'
    : 'an edited version, of which the original is taken'
}
