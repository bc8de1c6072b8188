import { asciiBytes, hasBytesAt, latin1 } from '@lantern-room/base/bytes'
import { type ByteSpan, type Reading, type Sized, take, within } from '@lantern-room/mp4/source'
import { APP2 } from '../exif/mpf'
import { APP1, type Jpeg, readJpeg } from '../jpeg/jpeg'
import { type ContainerItem, isClipItem } from '../xmp/readXmp'
import type { ImageHeader } from './imageHeader'
import type { MotionPhoto } from './read'

/** A picture behind the main one: a gain map, a depth map, a preview. */
export type OtherPicture = ByteSpan & {
  /** What it says of itself: it brightens the main picture by its own numbers (Ultra HDR, ISO 21496-1), or by Apple's rule. */
  readonly gains: 'own' | 'apple' | undefined
  /** Whether the directory in the main picture's XMP calls it a gain map. */
  readonly isListedAsGains: boolean
}

type Photo = Pick<MotionPhoto, 'primaryLength' | 'clip' | 'mpf'>

/** A phone writes three. */
const MAX_PICTURES = 16

/** In XMP, in any prefix; each follows the mark of its segment. */
const OWN_NUMBERS = /:GainMapMax\b/
const APPLES = /HDRGainMapVersion|aux:hdrgainmap/

const ISO_MARK = asciiBytes('urn:iso:std:iso:ts:21496:-1\0')
/** Two numbers of versions, which is all that a main picture has. */
const ISO_VERSIONS = 4

/**
 * Finds the pictures behind the main one of a JPEG: where its directory and its MPF index say, and right after one another.
 * @param items of the directory in the main picture's XMP
 * @returns whole JPEGs, in the order of the file
 */
export function* otherPictures(
  file: Sized,
  photo: Photo,
  header: Pick<ImageHeader, 'segments'>,
  items: readonly ContainerItem[],
): Reading<OtherPicture[]> {
  const { primaryLength = file.size, clip } = photo
  const listed = directoryPlaces(items, primaryLength)
  const places = [...listed.keys(), ...indexPlaces(photo, header), primaryLength]
  const found = new Map<number, OtherPicture>()
  for (let i = 0; i < places.length && i < 2 * MAX_PICTURES && found.size < MAX_PICTURES; i++) {
    const start = places[i] ?? file.size
    const end = clip && start < clip.offset ? clip.offset : file.size
    const isInside = [...found.values()].some((other) => start >= other.start && start < other.end)
    if (start < primaryLength || start >= end || isInside) continue
    const size = end - start
    const jpeg = yield* within(readJpeg({ size }), start)
    if (jpeg?.end === undefined) continue
    const gains = yield* within(gainsOf({ size }, jpeg), start)
    const isListedAsGains = listed.get(start) === 'GainMap'
    found.set(start, { start, end: start + jpeg.end, gains, isListedAsGains })
    places.push(start + jpeg.end)
  }
  return [...found.values()].sort((a, b) => a.start - b.start)
}

/** The gain map among them: by what it says of itself, else by the directory; never by its place. */
export function gainMapAmong(pictures: readonly OtherPicture[]): OtherPicture | undefined {
  return (
    pictures.find(({ gains }) => gains === 'own') ??
    pictures.find(({ gains }) => gains === 'apple') ??
    pictures.find(({ isListedAsGains }) => isListedAsGains)
  )
}

/** Where the directory has a part, and what it calls it: with the padding of the main picture before the others, or without. */
function directoryPlaces(items: readonly ContainerItem[], primaryLength: number): Map<number, string> {
  const places = new Map<number, string>()
  const primary = items.find(({ semantic }) => semantic === 'Primary')
  for (const padding of [primary?.padding ?? 0, 0]) {
    let at = primaryLength + padding
    for (const item of items) {
      if (item === primary) continue
      if (!isClipItem(item) && !places.has(at)) places.set(at, item.semantic ?? '')
      at += (item.length ?? 0) + (item.padding ?? 0)
    }
  }
  return places
}

function indexPlaces({ mpf = [] }: Photo, { segments }: Pick<ImageHeader, 'segments'>): number[] {
  const index = segments.find(({ kind }) => kind === 'mpf')
  if (!index?.payload) return []
  const headerAt = index.end - index.payload.length
  return mpf.slice(1, MAX_PICTURES).map(({ offset }) => headerAt + offset)
}

function* gainsOf(file: Sized, { segments }: Jpeg): Reading<OtherPicture['gains']> {
  let gains: OtherPicture['gains']
  for (const { marker, start, end } of segments.slice(0, 4 * MAX_PICTURES)) {
    if (marker !== APP1 && marker !== APP2) continue
    const payload = yield* take(file, start + 4, end)
    const isIso = hasBytesAt(payload, 0, ISO_MARK) && payload.length > ISO_MARK.length + ISO_VERSIONS
    const text = marker === APP1 ? latin1(payload) : ''
    if (isIso || OWN_NUMBERS.test(text)) return 'own'
    if (APPLES.test(text)) gains = 'apple'
  }
  return gains
}
