import { ServiceError } from './errors'
import removed from './removed.json'

/** The text fields of a request. A map, because clients may choose any name. */
export type FormFields = ReadonlyMap<string, string>

/**
 * The part of a field's name that an error repeats: its first 64 characters.
 * @example `${shownName(name)} must be a text, a number or a truth value.`
 */
export function shownName(name: string): string {
  return name.slice(0, 64)
}

/**
 * Adds a field to those of a form.
 * @throws ServiceError `unprocessable` when it is there already: which of two values is meant cannot be known
 * @example addFormField(fields, 'range_start', '1.5')
 */
export function addFormField(fields: Map<string, string>, name: string, value: string): void {
  if (fields.has(name)) {
    throw new ServiceError('unprocessable', `The field "${shownName(name)}" was sent twice. Send it once.`)
  }
  fields.set(name, value)
}

/**
 * The fields of a URL-encoded form, by name.
 * @throws ServiceError `unprocessable` when one was sent twice
 * @example readFormFields(await request.text()).get('range_start')
 */
export function readFormFields(urlEncoded: string): FormFields {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(urlEncoded)) addFormField(fields, name, value)
  return fields
}

/** More fields than any request has; the names of a hostile one are not all compared. */
const MAX_COMPARED = 100

/** By field: what to use instead. */
const REMOVED: ReadonlyMap<string, string> = new Map(Object.entries(removed.fields))

/**
 * Refuses a field that no longer exists, or is nearly one of those that are known. Others that are unknown are ignored, as clients
 * may send more than is asked for; so is another spelling of a field that was sent as well, with the same value.
 * @param sent names and values
 * @throws ServiceError `invalid-request` naming it and what to send instead
 * @example refuseMisspelt(Object.entries(body), ['playerName', 'gamePort'])
 */
export function refuseMisspelt(sent: Iterable<readonly [string, unknown]>, known: readonly string[]): void {
  const values = new Map(sent)
  const unknown = [...values].filter(([name]) => !known.includes(name) && !name.startsWith('__'))
  for (const [name, value] of unknown.slice(0, MAX_COMPARED)) {
    const instead = REMOVED.get(name)
    if (instead !== undefined)
      throw new ServiceError('invalid-request', `The field "${name}" no longer exists: ${instead}.`)
    const meant = nearest(name, known, ofFields)
    if (meant === undefined || (values.has(meant) && values.get(meant) === value)) continue
    const sentence = `There is no field "${shownName(name)}". Did you mean ${meant}? Send it by that name.`
    throw new ServiceError('invalid-request', sentence)
  }
}

/** `rangeStart` and `range-start` are `range_start`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '')
}

/** How many mistakes still make a name that of another, by the shorter and the longer of the two lengths. */
type Tolerance = (shorter: number, longer: number) => number

/** Fields are refused by this, so that short names have to be nearly right. */
const ofFields: Tolerance = (shorter) => (shorter < 3 ? 0 : shorter < 6 ? 1 : 2)

/** For words that are refused in any case, where the answer only helps: fewer than half of the letters may be wrong. */
const ofUnknownWords: Tolerance = (_, longer) => Math.min(2, Math.ceil(longer / 2) - 1)

/**
 * The word that was probably meant by one that is not known. A mistake is a letter that is to be added, removed, replaced or exchanged
 * with its neighbour; case, hyphens and underscores count for nothing.
 * @param tolerance how many mistakes may be between two words. @default at most two, in fewer than half of the letters
 * @returns undefined when none of the known words is near
 * @example nearest('game-prot', ['game-port', 'player-name']) // 'game-port'
 */
export function nearest(
  name: string,
  known: readonly string[],
  tolerance: Tolerance = ofUnknownWords,
): string | undefined {
  const sent = plain(name)
  const isNear = (other: string, mistakes: number) => {
    const [shorter = 0, longer = 0] = [sent.length, other.length].sort((a, b) => a - b)
    return mistakes <= tolerance(shorter, longer) && isWithin(sent, other, mistakes)
  }
  return [0, 1, 2]
    .map((mistakes) => known.find((each) => isNear(plain(each), mistakes)))
    .find((found) => found !== undefined)
}

function isWithin(a: string, b: string, mistakes: number): boolean {
  if (a === b) return true
  if (mistakes === 0) return false
  let at = 0
  while (a[at] === b[at]) at += 1
  const [restA, restB] = [a.slice(at), b.slice(at)]
  const isSwap = restA[0] === restB[1] && restA[1] === restB[0]
  const skips = [[1, 1], [1, 0], [0, 1], ...(isSwap ? [[2, 2]] : [])]
  return skips.some(([inA, inB]) => isWithin(restA.slice(inA), restB.slice(inB), mistakes - 1))
}
