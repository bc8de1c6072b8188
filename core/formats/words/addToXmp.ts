import { isoTime } from '../exif/wallClock'
import { readXmpElements } from '../xmp/readXmp'
import { textOfElement, type XmlElement } from '../xmp/xmlElements'
import { XMP_NAMESPACES } from '../xmp/xmp'
import { SPACES } from './ownWords'
import type { PhotoWords } from './photoWords'

/** What is written into XMP; time and place only where the file has no EXIF to hold them. */
export type XmpWords = PhotoWords

const RDF = XMP_NAMESPACES.rdf

/**
 * A packet with what it did not say. It goes into the first description: that is where galleries look for a motion photo's marks, and one
 * without would make Android give up.
 * @param packet undefined where there is none
 * @returns undefined when it has no place for that; the packet itself where there is nothing to add
 */
export function addToXmp(packet: string | undefined, words: XmpWords): string | undefined {
  const text = packet?.trim() ? packet : EMPTY
  const elements = readXmpElements(text)
  const listed = addKeywords(text, elements, words.keywords)
  const isListed = listed !== undefined
  const fields = fieldsOf(isListed ? { ...words, keywords: [] } : words, prefixOf(elements))
  const whole = listed ?? text
  return fields.length === 0 ? (isListed ? whole : packet) : insert(whole, fields)
}

const EMPTY = [
  '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
  '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
  `  <rdf:RDF xmlns:rdf="${RDF}">`,
  '    <rdf:Description rdf:about="">',
  '    </rdf:Description>',
  '  </rdf:RDF>',
  '</x:xmpmeta>',
  '<?xpacket end="w"?>',
].join('\n')

function prefixOf(elements: readonly XmlElement[]): string {
  const root = elements.find(({ space, local }) => space === RDF && local === 'RDF')
  return root?.name.split(':')[0] ?? 'rdf'
}

/** Each property declares its namespace itself, so that no prefix of the packet is in the way. */
function fieldsOf(
  { takenAt, place, description, rating, people, keywords }: XmpWords,
  rdf: string,
): readonly string[] {
  const property = (prefix: keyof typeof SPACES, name: string, content: string) =>
    `<${prefix}:${name} xmlns:${prefix}="${SPACES[prefix]}">${content}</${prefix}:${name}>`
  const bag = (items: readonly string[]) =>
    `<${rdf}:Bag>${items.map((item) => `<${rdf}:li>${escaped(item)}</${rdf}:li>`).join('')}</${rdf}:Bag>`
  return [
    ...(takenAt ? [property('exif', 'DateTimeOriginal', isoTime(takenAt))] : []),
    ...(place
      ? [
          property('exif', 'GPSLatitude', angleText(place.latitude, 'NS')),
          property('exif', 'GPSLongitude', angleText(place.longitude, 'EW')),
        ]
      : []),
    ...(description === undefined
      ? []
      : [
          property(
            'dc',
            'description',
            `<${rdf}:Alt><${rdf}:li xml:lang="x-default">${escaped(description)}</${rdf}:li></${rdf}:Alt>`,
          ),
        ]),
    ...(rating === undefined ? [] : [property('xmp', 'Rating', String(rating))]),
    ...(people.length > 0 ? [property('Iptc4xmpExt', 'PersonInImage', bag(people))] : []),
    ...(keywords.length > 0 ? [property('dc', 'subject', bag(keywords))] : []),
  ]
}

/** `52,31.200000N`. @see XMP Specification, part 2, "GPSCoordinate" */
function angleText(angle: number, [positive = '', negative = '']: string): string {
  const minutes = Math.round(Math.abs(angle) * 60e6)
  return `${Math.floor(minutes / 60e6)},${((minutes % 60e6) / 1e6).toFixed(6)}${angle < 0 ? negative : positive}`
}

/** Control characters are not allowed in XML at all. */
function escaped(text: string): string {
  return text
    .replaceAll(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '',
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** Adds what is missing to the keywords that are there. @returns undefined where there are none */
function addKeywords(
  packet: string,
  elements: readonly XmlElement[],
  keywords: readonly string[],
): string | undefined {
  const subject = elements.findIndex(({ space, local }) => space === SPACES.dc && local === 'subject')
  const list = elements[subject + 1]
  const isList = subject >= 0 && list?.space === RDF && list.end > list.contentEnd
  if (!isList || !list || keywords.length === 0) return undefined
  const there = new Set(
    elements
      .filter(({ start, end }) => start >= list.contentStart && end <= list.contentEnd)
      .map((item) => textOfElement(packet, item)),
  )
  const rdf = list.name.split(':')[0]
  const added = keywords
    .filter((keyword) => !there.has(keyword))
    .map((keyword) => `<${rdf}:li>${escaped(keyword)}</${rdf}:li>`)
  return packet.slice(0, list.contentEnd) + added.join('') + packet.slice(list.contentEnd)
}

function insert(packet: string, fields: readonly string[]): string | undefined {
  const first = readXmpElements(packet).find(({ space, local }) => space === RDF && local === 'Description')
  if (!first) return undefined
  const isOpen = first.end > first.contentEnd
  const isClosed = first.end === first.contentStart && packet.slice(first.start, first.end).endsWith('/>')
  const content = fields.map((field) => `\n      ${field}`).join('')
  if (isOpen) return packet.slice(0, first.contentEnd) + content + packet.slice(first.contentEnd)
  if (!isClosed) return undefined
  const tag = packet.slice(first.start, first.end).replace(/\s*\/>$/, '>')
  return `${packet.slice(0, first.start)}${tag}${content}\n    </${first.name}>${packet.slice(first.end)}`
}
