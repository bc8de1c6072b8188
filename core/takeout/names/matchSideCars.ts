import { clipNames, type NameParts, originalStem, partsOf } from './nameParts'
import { readSideCarName, type SideCarName } from './sideCarNames'
import { folded, loosened, spellingsOf } from './spelling'

/** A side-car of a folder, by its name and by the title that it gives its file. */
export type NamedSideCar = { readonly name: string; readonly title?: string | undefined }

/**
 * Finds the side-car of each photo and video of one folder, by the rules of `rules.json`, the surest first. Several files may have
 * one: a photo, its clip and its edited version.
 * @param media names without folders
 * @returns by the names of media; a file that has none, or may have several, is missing
 * @example matchSideCars(['IMG_1(1).jpg'], [{ name: 'IMG_1.jpg(1).json' }]).get('IMG_1(1).jpg') // 'IMG_1.jpg(1).json'
 */
export function matchSideCars(
  media: readonly string[],
  sideCars: readonly NamedSideCar[],
): ReadonlyMap<string, string> {
  const index = indexOf(sideCars)
  const found = new Map<string, string>()
  for (const name of media) {
    const sideCar = findSideCar(name, index)
    if (sideCar !== undefined) found.set(name, sideCar)
  }
  return found
}

type Index = {
  /** By what is before the word and the number of a copy. */
  readonly byName: Lists
  /** By the name of its file without an ending. */
  readonly byStem: Lists
  readonly byTitle: Lists
  /** Spellings of the titles that side-cars give. */
  readonly titles: Lists
  /** Those that may be cut inside the name of their file, by its first letters. */
  readonly cut: ReadonlyMap<string, readonly CutName[]>
}

type CutName = SideCarName & { readonly json: string }
/** Letters that a name has in any case before it is cut. */
const HEAD = 16

type Lists = ReadonlyMap<string, readonly string[]>

function indexOf(sideCars: readonly NamedSideCar[]): Index {
  const [byName, byStem, byTitle] = [createLists(), createLists(), createLists()]
  const cut = new Map<string, CutName[]>()
  const titles = new Map<string, readonly string[]>()
  for (const { name: json, title } of sideCars) {
    const read = readSideCarName(json)
    for (const { of, number, mayBeCut } of read) {
      byName.add(keyOf(of, number), json)
      const parts = partsOf(of)
      if (parts.kind !== 'other' && parts.kind !== 'unnamed') byStem.add(keyOf(parts.stem, number), json)
      const head = of.slice(0, HEAD)
      if (mayBeCut) cut.set(head, [...(cut.get(head) ?? []), { of, number, mayBeCut, json }])
    }
    if (title === undefined) continue
    titles.set(json, spellingsOf(title))
    for (const spelling of spellingsOf(title)) byTitle.add(keyOf(spelling, read[0]?.number), json)
  }
  return { byName: byName.lists, byStem: byStem.lists, byTitle: byTitle.lists, titles, cut }
}

function createLists() {
  const lists = new Map<string, string[]>()
  const add = (key: string, value: string) => {
    const list = lists.get(key)
    if (!list) lists.set(key, [value])
    else if (!list.includes(value)) list.push(value)
  }
  return { lists, add }
}

function keyOf(name: string, number: number | undefined): string {
  return `${name} ${number ?? ''}`
}

function findSideCar(name: string, index: Index): string | undefined {
  const parts = partsOf(name)
  const own = findOwn(name, parts, index)
  if (own !== undefined) return own
  const stem = originalStem(parts.stem, parts.ending)
  if (stem === undefined) return undefined
  const { kind, ending, number } = parts
  const original = { kind, stem, ending, number }
  const numbered = findOwn(nameOf(original), original, index)
  if (numbered !== undefined || number === undefined) return numbered
  return findOwn(stem + ending, { kind, stem, ending, number: undefined }, index)
}

function nameOf({ stem, ending, number }: NameParts): string {
  return `${stem}${number === undefined ? '' : `(${number})`}${ending}`
}

/** The side-car of a file that is no edited version. */
function findOwn(name: string, parts: NameParts, index: Index): string | undefined {
  const { stem, ending, number } = parts
  const plain = folded(stem + ending)
  const lookups = [
    () => index.byName.get(keyOf(plain, number)),
    () => byTitle(plain, number, index),
    () => cutSideCars(plain, number, index),
    () => index.byName.get(keyOf(folded(stem), number)),
    () => ofPhoto(name, parts, index),
    () => (number === undefined ? undefined : cutSideCars(plain, undefined, index)),
  ]
  for (const lookup of lookups) {
    const only = onlyOne(lookup(), plain, index)
    if (only !== undefined) return only
  }
  return undefined
}

function byTitle(plain: string, number: number | undefined, index: Index): readonly string[] | undefined {
  return index.byTitle.get(keyOf(loosened(plain), number))
}

/** Of names that were cut inside the name of their file, the longest counts. */
function cutSideCars(plain: string, number: number | undefined, { cut }: Index): readonly string[] {
  const near = cut.get(plain.slice(0, HEAD)) ?? []
  const fitting = near.filter((one) => one.number === number && plain.startsWith(one.of))
  const longest = Math.max(0, ...fitting.map(({ of }) => of.length))
  return [...new Set(fitting.filter(({ of }) => of.length === longest).map(({ json }) => json))]
}

/** A clip has the side-car of its photo. */
function ofPhoto(name: string, { kind, stem }: NameParts, { byStem }: Index): readonly string[] | undefined {
  if (kind === 'picture' || kind === 'other') return undefined
  for (const clipName of clipNames(name)) {
    const { stem: photo, number } = partsOf(clipName)
    const plain = folded(photo).replace(/_hevc$/, '')
    const found = byStem.get(keyOf(plain, number))
    if (found && stem !== '') return found
  }
  return undefined
}

/** Two that fit are told apart by their titles; where that does not help, neither is taken. */
function onlyOne(found: readonly string[] | undefined, plain: string, index: Index): string | undefined {
  if (!found || found.length <= 1) return found?.[0]
  const agreeing = found.filter((json) => index.titles.get(json)?.some((title) => title === loosened(plain)))
  return agreeing.length === 1 ? agreeing[0] : undefined
}
