import { isDated } from '../exif/changeExif'
import type { Place } from '../exif/exif'
import { openTiff } from '../exif/readTiff'
import { ASCII } from '../exif/tiff'
import { readXmpElements } from '../xmp/readXmp'
import type { PhotoMetadata, WordKind } from './photoWords'

export const SPACES = {
  dc: 'http://purl.org/dc/elements/1.1/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
} as const

/** What a photo says of itself. */
export type OwnWords = {
  readonly says: ReadonlySet<WordKind>
  /** Where it was taken, by its EXIF. */
  readonly place: Place | undefined
}

/** Properties of XMP, by what they say. */
const PROPERTIES: readonly (readonly [WordKind, string])[] = [
  ['time', `${SPACES.exif} DateTimeOriginal`],
  ['time', `${SPACES.photoshop} DateCreated`],
  ['place', `${SPACES.exif} GPSLatitude`],
  ['description', `${SPACES.dc} description`],
  ['rating', `${SPACES.xmp} Rating`],
  ['people', `${SPACES.Iptc4xmpExt} PersonInImage`],
  ['keywords', `${SPACES.dc} subject`],
]

export const DESCRIPTION_TAG = 0x010e
export const GPS_IFD = 0x8825
const [LATITUDE, LONGITUDE, ALTITUDE] = [0x02, 0x04, 0x06]

/**
 * What of `PhotoWords` a photo says itself.
 * @example
 * const { says, place } = readOwnWords({ exif, xmp })
 */
export function readOwnWords({ exif, xmp }: PhotoMetadata): OwnWords {
  const said = saidInExif(exif)
  const says = new Set(said.says)
  const names = new Map<string, WordKind>(PROPERTIES.map(([kind, name]) => [name, kind]))
  for (const element of xmp === undefined ? [] : readXmpElements(xmp)) {
    for (const { space, local } of [element, ...element.attributes]) {
      const kind = names.get(`${space} ${local}`)
      if (kind) says.add(kind)
    }
  }
  return { says, place: said.place }
}

function saidInExif(exif: Uint8Array | undefined): {
  readonly says: readonly WordKind[]
  readonly place: Place | undefined
} {
  const structure = exif && openTiff(exif)
  if (!structure) return { says: [], place: undefined }
  const primary = structure.directory(structure.first)
  const photo = structure.directory(primary.number(0x8769))
  const gps = structure.directory(primary.number(GPS_IFD))
  const place = placeOf(gps)
  const says: readonly (readonly [WordKind, boolean])[] = [
    ['time', isDated(photo.text(0x9003)) || isDated(photo.text(0x9004))],
    ['place', gps.rationals(LATITUDE).length > 0],
    ['description', isTold(primary.text(DESCRIPTION_TAG))],
    ['rating', (primary.number(0x4746) ?? 0) > 0],
    // Keywords of Windows.
    ['keywords', primary.entries.has(0x9c9e)],
  ]
  return { says: says.flatMap(([kind, isSaid]) => (isSaid ? [kind] : [])), place }
}

/** Cameras fill the description with spaces. */
function isTold(text: string | undefined): boolean {
  return (text ?? '').trim() !== ''
}

function placeOf(gps: ReturnType<NonNullable<ReturnType<typeof openTiff>>['directory']>): Place | undefined {
  const angle = (tag: number, negative: string) => {
    const [degrees = Number.NaN, minutes = 0, seconds = 0] = gps.rationals(tag)
    const value = degrees + minutes / 60 + seconds / 3600
    return gps.value(tag - 1, ASCII) && gps.text(tag - 1)?.toUpperCase() === negative ? -value : value
  }
  const [latitude, longitude] = [angle(LATITUDE, 'S'), angle(LONGITUDE, 'W')]
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined
  const [height] = gps.rationals(ALTITUDE)
  return { latitude, longitude, altitude: Number.isFinite(height) ? height : undefined }
}
