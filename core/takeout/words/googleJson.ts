import { parseJson } from '@lantern-room/base/bytes'
import type { Place } from '@lantern-room/formats'
import { withoutEntities } from '../names/spelling'
import { NOTHING_SAID, type Said } from './said'

/** Google's are of one or two kilobytes; with comments and places some have a hundred. */
export const MAX_JSON_BYTES = 4 * 1024 * 1024

/**
 * What a JSON file of a Takeout is: the side-car of a photo, with its title as it is written, or what an album says of itself. `doubts`:
 * what in it cannot be true.
 */
export type GoogleJson =
  | {
      readonly kind: 'photo'
      readonly title: string
      readonly said: Said
      readonly doubts: readonly string[]
    }
  | { readonly kind: 'album'; readonly title: string }

/**
 * Reads a JSON file of a Takeout. A field of another form than it should have counts as absent.
 * @returns undefined when it is none of these, or no JSON
 * @example readGoogleJson('{"title":"IMG_1.jpg","photoTakenTime":{"timestamp":"1599078832"}}')?.kind // 'photo'
 */
export function readGoogleJson(text: string): GoogleJson | undefined {
  const value = objectOf(parseJson(text))
  if (!value) return undefined
  // Old exports have what an album says in a field of its own.
  const album = objectOf(value.albumData) ?? value
  const title = textOf(value.title) ?? ''
  const time = objectOf(value.photoTakenTime)
  if (!time) {
    const own = textOf(album.title)
    const isAlbum = own !== undefined && (album !== value || ALBUM_FIELDS.some((field) => field in album))
    return isAlbum ? { kind: 'album', title: withoutEntities(own) } : undefined
  }
  const doubts: string[] = []
  const said: Said = {
    ...NOTHING_SAID,
    takenMs: timeOf(time.timestamp, doubts),
    place: placeOf(value.geoDataExif, doubts) ?? placeOf(value.geoData, doubts),
    description: descriptionOf(value.description),
    isFavourite: value.favorited === true,
    people: peopleOf(value.people),
  }
  return { kind: 'photo', title, said, doubts }
}

const ALBUM_FIELDS = ['date', 'access', 'location', 'geoData', 'description', 'enrichments']
const MAX_TEXT = 32 * 1024
const MAX_PEOPLE = 500

type Fields = Readonly<Record<string, unknown>>

function objectOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_TEXT ? value : undefined
}

/** Photography is from 1826 on; nothing is taken tomorrow, but clocks of cameras may be years ahead. */
const [EARLIEST, LATEST] = [Date.UTC(1826, 0, 1), Date.UTC(2100, 0, 1)]

/** Seconds from 1970, as text or as a number. 0 stands for a time that is not known. */
function timeOf(timestamp: unknown, doubts: string[]): number | undefined {
  const seconds =
    typeof timestamp === 'string' && /^-?\d{1,12}$/.test(timestamp) ? Number(timestamp) : timestamp
  if (typeof seconds !== 'number' || seconds === 0) return undefined
  const ms = Math.floor(seconds) * 1000
  if (ms >= EARLIEST && ms < LATEST) return ms
  doubts.push('its time cannot be')
  return undefined
}

/** 0, 0 stands for a place that is not known, and so does an altitude of 0. */
function placeOf(value: unknown, doubts: string[]): Place | undefined {
  const { latitude, longitude, altitude } = objectOf(value) ?? {}
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined
  if (latitude === 0 && longitude === 0) return undefined
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
    doubts.push('its place is not on the earth')
    return undefined
  }
  const isHeight = typeof altitude === 'number' && altitude !== 0 && Math.abs(altitude) < 100_000
  return { latitude, longitude, altitude: isHeight ? altitude : undefined }
}

function descriptionOf(value: unknown): string | undefined {
  const text = withoutEntities(textOf(value) ?? '').trim()
  return text === '' ? undefined : text
}

function peopleOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  const names = value.slice(0, MAX_PEOPLE).map((person) => textOf(objectOf(person)?.name)?.trim())
  return [...new Set(names.flatMap((name) => (name ? [name] : [])))]
}
