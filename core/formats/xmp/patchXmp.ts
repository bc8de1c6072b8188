import { readXmpElements, readXmpPacket } from './readXmp'
import type { XmlAttribute, XmlElement } from './xmlElements'
import { type Attribute, XMP_NAMESPACES, type XmpFields, xmpAttributes, xmpDirectory, xmpPacket } from './xmp'

/** Properties that a motion photo's packet has just once. What else is in their namespaces stays. */
const OWN_PROPERTIES = {
  GCamera:
    'MotionPhoto MotionPhotoVersion MotionPhotoPresentationTimestampUs MicroVideo MicroVideoVersion MicroVideoOffset MicroVideoPresentationTimestampUs',
  VCamera: 'VMotionPhotoVersion VMotionPhotoSource VMediaKitVersion',
  OpCamera:
    'MotionPhotoPrimaryPresentationTimestampUs MotionPhotoOwner OLivePhotoVersion VideoLength MotionPhotoFeatureFlag',
  Container: 'Directory',
  Item: '',
}

/** By which prefixes galleries look for these namespaces. */
const USUAL_PREFIXES = ['GCamera', 'VCamera', 'OpCamera', 'Container', 'Item'] as const

const OWN_NAMES = new Set(
  USUAL_PREFIXES.flatMap((prefix) =>
    OWN_PROPERTIES[prefix].split(' ').map((local) => `${XMP_NAMESPACES[prefix]} ${local}`),
  ),
)

/** Namespaces in which phones write about their motion photos. */
export const VENDOR_SPACE =
  /^http:\/\/ns\.(?:vivo|oplus|oppo|oneplus|xiaomi|samsung|huawei|honor|hihonor)\.com\//

type Name = Pick<XmlElement, 'space' | 'local'>
export type Span = { readonly start: number; readonly end: number }

/**
 * Writes the fields of a motion photo into an XMP packet, in the form that galleries look for, and keeps all else that is in
 * it: a gain map's parameters, ratings, keywords. A packet that has the fields already stays as it is.
 * @param packet undefined or empty where there is none
 * @returns undefined when the packet has no place for them, or would not read as it should
 */
export function patchXmp(packet: string | undefined, fields: XmpFields): string | undefined {
  if (!packet) return xmpPacket(fields)
  if (isAsWanted(packet, fields)) return packet
  const attributes = xmpAttributes(fields)
  const isGainMap = ({ space, local }: Name) => space === XMP_NAMESPACES.hdrgm && local === 'Version'
  const hasMap = attributes.some(([name]) => name === 'hdrgm:Version')
  const isOld = (name: Name) => isOwnName(name) || (hasMap && isGainMap(name))
  const patched = insert(without(packet, isOld), attributes, xmpDirectory(fields))
  return patched !== undefined && isAsWanted(patched, fields) ? patched : undefined
}

/** Whether a motion photo's packet has the property just once. */
export function isOwnName({ space, local }: Name): boolean {
  return OWN_NAMES.has(`${space} ${local}`)
}

/** The packet without all that is in these namespaces. */
export function withoutSpaces(packet: string, spaces: readonly string[]): string {
  return spaces.length === 0 ? packet : without(packet, ({ space = '' }) => spaces.includes(space))
}

function without(packet: string, isCut: (name: Name) => boolean): string {
  const spans = readXmpElements(packet).flatMap((element): readonly Span[] =>
    isCut(element) ? [element] : element.attributes.filter(isCut),
  )
  return cut(packet, spans)
}

/** @param spans by their starts; of two that overlap, one lies in the other */
export function cut(text: string, spans: readonly Span[]): string {
  let at = 0
  const kept: string[] = []
  for (const { start, end } of spans) {
    if (start >= at) kept.push(text.slice(at, start))
    at = Math.max(at, end)
  }
  return [...kept, text.slice(at)].join('')
}

/**
 * Writes attributes and content into the first description, and moves into it what the others have: galleries look for the
 * fields in the first one, and Android's player wants them in each.
 * @returns undefined when there is no description, an element has no end, or a prefix stands for something else
 */
function insert(
  packet: string,
  fields: readonly Attribute[],
  content: readonly string[],
): string | undefined {
  const elements = readXmpElements(packet)
  const names = new Set(elements.flatMap((element) => element.attributes.map(({ name }) => name)))
  // The directory is written with this prefix.
  const attributes = names.has('xmlns:rdf') ? fields : [...fields, ['xmlns:rdf', XMP_NAMESPACES.rdf] as const]
  const wanted = new Map(attributes.map(([name, value]) => [name, String(value)]))
  const isFree = elements.every(({ attributes: all }) =>
    all.every(({ name, value }) => !name.startsWith('xmlns:') || (wanted.get(name) ?? value) === value),
  )
  const isWhole = elements.every(
    ({ contentStart, contentEnd, end }) => end > contentEnd || end === contentStart,
  )
  const { first, moved, gained } = mergeDescriptions(elements, wanted)
  if (!first || !isFree || !isWhole) return undefined
  const tag = packet.slice(first.start, first.contentStart)
  const has = new Set(first.attributes.map(({ name }) => name))
  return [
    packet.slice(0, first.start),
    tag.replace(/\s*\/?>$/, ''),
    ...attributes.filter(([name]) => !has.has(name)).map(([name, value]) => `\n        ${name}="${value}"`),
    ...gained.map(({ start, end }) => packet.slice(start, end)),
    `>\n${content.join('\n')}`,
    ...moved.map(({ contentStart, contentEnd }) => packet.slice(contentStart, contentEnd)),
    tag.endsWith('/>') ? `\n    </${first.name}>` : '',
    cut(packet, [{ start: 0, end: first.contentStart }, ...moved]),
  ].join('')
}

/** The first description, those that can become a part of it, and what it gets of their attributes. */
function mergeDescriptions(elements: readonly XmlElement[], added: ReadonlyMap<string, string>) {
  const [root] = elements.filter(({ space, local }) => space === XMP_NAMESPACES.rdf && local === 'RDF')
  const [first, ...others] = elements.filter(
    ({ space, local, depth, start, end }) =>
      root &&
      space === root.space &&
      local === 'Description' &&
      depth === root.depth + 1 &&
      start < root.end &&
      end > start,
  )
  const taken = new Map(added)
  for (const { name, value } of [...(root?.attributes ?? []), ...(first?.attributes ?? [])])
    taken.set(name, value)
  const moved: XmlElement[] = []
  const gained: XmlAttribute[] = []
  for (const other of others) {
    const fresh = other.attributes.filter(({ name, value }) => !isShared(name) || taken.get(name) !== value)
    if (fresh.some(({ name }) => name === 'xmlns' || taken.has(name))) continue
    moved.push(other)
    gained.push(...fresh)
    for (const { name, value } of fresh) taken.set(name, value)
  }
  return { first, moved, gained }
}

/** Several descriptions of one thing have these alike. */
function isShared(name: string): boolean {
  return name.startsWith('xmlns') || /^(?:\w+:)?about$/.test(name)
}

/** The packet reads as it should, also for programs that know the usual prefixes and the first description only. */
function isAsWanted(packet: string, fields: XmpFields): boolean {
  const read = readXmpPacket(packet)
  const wanted = readXmpPacket(xmpPacket(fields))
  // What a profile does not write of a phone's namespace may stay.
  const compared = {
    ...read,
    isSpecialFormat: wanted.isSpecialFormat,
    vivo: wanted.vivo && read.vivo,
    oplus: wanted.oplus && read.oplus,
  }
  if (JSON.stringify(compared) !== JSON.stringify(wanted)) return false
  const elements = readXmpElements(packet)
  const { first, moved } = mergeDescriptions(elements, new Map())
  const isUsual = elements
    .flatMap((element) => [element, ...element.attributes])
    .filter((one) => isOwnName(one) || one.space === XMP_NAMESPACES.Item)
    .every(({ name, space }) =>
      USUAL_PREFIXES.some((prefix) => name.startsWith(`${prefix}:`) && space === XMP_NAMESPACES[prefix]),
    )
  return (
    isUsual &&
    moved.length === 0 &&
    first?.attributes.some(({ name }) => name === 'GCamera:MotionPhoto') === true
  )
}
