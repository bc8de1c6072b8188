import { addToExif } from './addToExif'
import { addToXmp } from './addToXmp'
import { readOwnWords } from './ownWords'
import type { PhotoMetadata, PhotoWords, WordKind } from './photoWords'

/** Metadata with more in it; what is undefined stays as it is. */
export type AddedWords = PhotoMetadata & { readonly added: readonly WordKind[] }

/**
 * Adds to a photo's metadata what it does not say: never over what it says. Keywords are added to those that are there.
 * @param holdsExif whether the file has EXIF or can get it; else time and place go into XMP
 * @returns undefined when there is nothing to add, or no place for it
 * @example
 * const { exif, xmp, added } = addWords({ exif: undefined, xmp: undefined }, words, true) ?? { added: [] }
 */
export function addWords(own: PhotoMetadata, words: PhotoWords, holdsExif: boolean): AddedWords | undefined {
  const { says } = readOwnWords(own)
  const fresh = <Value>(kind: WordKind, value: Value, nothing: Value): Value =>
    says.has(kind) ? nothing : value
  const wanted: PhotoWords = {
    takenAt: fresh('time', words.takenAt, undefined),
    place: fresh('place', words.place, undefined),
    description: fresh('description', words.description, undefined),
    rating: fresh('rating', words.rating, undefined),
    people: fresh('people', words.people, []),
    keywords: words.keywords,
  }
  const added = kindsOf(wanted)
  if (added.length === 0) return undefined
  const { takenAt, place, description, rating, people, keywords } = wanted
  const isForExif = holdsExif && (takenAt !== undefined || place !== undefined || description !== undefined)
  const exif = isForExif ? addToExif(own.exif, wanted) : undefined
  const isWritten = exif !== undefined
  const xmp = addToXmp(own.xmp, {
    takenAt: isWritten ? undefined : takenAt,
    place: isWritten ? undefined : place,
    description,
    rating,
    people,
    keywords,
  })
  if (xmp === undefined && added.some((kind) => !isWritten || (kind !== 'time' && kind !== 'place')))
    return undefined
  return { exif, xmp: xmp === own.xmp ? undefined : xmp, added }
}

function kindsOf({ takenAt, place, description, rating, people, keywords }: PhotoWords): readonly WordKind[] {
  const all: readonly (readonly [WordKind, boolean])[] = [
    ['time', takenAt !== undefined],
    ['place', place !== undefined],
    ['description', description !== undefined],
    ['rating', rating !== undefined],
    ['people', people.length > 0],
    ['keywords', keywords.length > 0],
  ]
  return all.flatMap(([kind, isThere]) => (isThere ? [kind] : []))
}
