import { readXmlElements, textOfElement, type XmlElement } from './xmlElements'
import { XMP_NAMESPACES } from './xmp'

export type ContainerItem = {
  readonly mime: string | undefined
  readonly semantic: string | undefined
  readonly length: number | undefined
  readonly padding: number | undefined
}

/** The fields of a motion photo's XMP. A field that is absent, or should be a number and is none, is undefined. */
export type MotionPhotoXmp = ReturnType<typeof readXmpPacket>

/** More items than any phone writes; a primary image, a gain map, depth, a clip or two. */
const MAX_ITEMS = 32

/**
 * Reads the motion photo fields of an XMP packet: as attributes or as elements, under whatever prefix the namespaces
 * have. It finds known properties and ignores everything else, broken XML included.
 */
export function readXmpPacket(packet: string) {
  const elements = readXmpElements(packet)
  const camera = propertyReader(packet, elements, 'GCamera')
  const vivo = propertyReader(packet, elements, 'VCamera')
  const oplus = propertyReader(packet, elements, 'OpCamera')
  return {
    motionPhoto: camera.number('MotionPhoto'),
    motionPhotoVersion: camera.number('MotionPhotoVersion'),
    presentationTimestampUs: camera.number('MotionPhotoPresentationTimestampUs'),
    microVideo: camera.number('MicroVideo'),
    microVideoVersion: camera.number('MicroVideoVersion'),
    microVideoOffset: camera.number('MicroVideoOffset'),
    microVideoPresentationTimestampUs: camera.number('MicroVideoPresentationTimestampUs'),
    items: readItems(packet, elements),
    // Android's MediaStore knows the photo by it.
    isSpecialFormat: hasSpecialFormat(packet),
    // Undefined when the packet does not use vivo's namespace, as the next one for OPPO's.
    vivo: vivo.isSpoken
      ? {
          motionPhotoVersion: vivo.number('VMotionPhotoVersion'),
          motionPhotoSource: vivo.number('VMotionPhotoSource'),
          mediaKitVersion: vivo.text('VMediaKitVersion'),
        }
      : undefined,
    oplus: oplus.isSpoken
      ? {
          presentationTimestampUs: oplus.number('MotionPhotoPrimaryPresentationTimestampUs'),
          owner: oplus.text('MotionPhotoOwner'),
          oLivePhotoVersion: oplus.number('OLivePhotoVersion'),
          videoLength: oplus.number('VideoLength'),
          featureFlag: oplus.number('MotionPhotoFeatureFlag'),
        }
      : undefined,
  }
}

/** A value may hold `>`. */
const DESCRIPTION_START = /<rdf:Description\b(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/

/** Of these attributes, the first that is there must be 1. */
const FLAGS = ['Camera:MotionPhoto', 'GCamera:MotionPhoto', 'Camera:MicroVideo', 'GCamera:MicroVideo']
const OFFSETS = ['Camera:MicroVideoOffset', 'GCamera:MicroVideoOffset']

/**
 * Whether Android's MediaStore takes a file with this packet for a motion photo (`_special_format`). It compares prefixes letter by
 * letter, whatever they are declared as, reads attributes only, and gives up at the first description without a mark.
 * @see AOSP, MediaProvider, SpecialFormatDetector; media3, XmpMotionPhotoDescriptionParser
 */
function hasSpecialFormat(packet: string): boolean {
  const [description = ''] = DESCRIPTION_START.exec(packet) ?? []
  if (!packet.includes('<x:xmpmeta') || firstAttribute(description, FLAGS) !== '1') return false
  if (Number(firstAttribute(description, OFFSETS)) > 0) return true
  return (
    hasLiteralDirectory(packet, 'Container', 'Item') ||
    hasLiteralDirectory(packet, 'GContainer', 'GContainerItem')
  )
}

function hasLiteralDirectory(packet: string, prefix: string, itemPrefix: string): boolean {
  const [before = '', inside = ''] = packet.split(`<${prefix}:Directory`, 2)
  const [list = ''] = inside.split(`</${prefix}:Directory>`, 1)
  const tags = list.split(`<${prefix}:Item`, MAX_ITEMS + 1).slice(1)
  const items = tags.map((tag) => {
    const read = (name: string) => firstAttribute(tag.split('>', 1)[0] ?? '', [`${itemPrefix}:${name}`])
    return { mime: read('Mime'), semantic: read('Semantic'), length: Number(read('Length')) }
  })
  const isClip = ({ semantic, length }: (typeof items)[number]) => semantic === 'MotionPhoto' && length > 0
  return (
    before.split('<rdf:Description').length === 2 &&
    items.every(({ mime, semantic }) => mime !== undefined && semantic !== undefined) &&
    items.some(({ semantic }) => semantic === 'Primary') &&
    items.some(isClip)
  )
}

/** The value of the first of these attributes that a tag has. */
function firstAttribute(tag: string, names: readonly string[]): string | undefined {
  const values = names.map(
    (name) => new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}["']([^"'<]*)["']`).exec(tag)?.[1],
  )
  return values.find((value) => value !== undefined)
}

/** Whether the packet has any field of a motion photo. */
export function isMotionPhotoXmp(xmp: MotionPhotoXmp): boolean {
  return xmp.motionPhoto === 1 || xmp.microVideo === 1 || xmp.items.some(isClipItem)
}

export function isClipItem(item: ContainerItem): boolean {
  return item.semantic === 'MotionPhoto' || item.mime?.startsWith('video/') === true
}

/** The usual prefixes, by which files are read that do not declare them. */
const USUAL_PREFIXES = new Map<string, string>(Object.entries(XMP_NAMESPACES))

export function readXmpElements(packet: string): XmlElement[] {
  return readXmlElements(packet, USUAL_PREFIXES)
}

/** The text of a packet: UTF-8, or UTF-16 as some editors write it. */
export function decodeXmp(bytes: Uint8Array): string {
  const [first, second] = bytes
  const isBig = first === 0 || (first === 0xfe && second === 0xff)
  const isLittle = second === 0 || (first === 0xff && second === 0xfe)
  if (!isBig && !isLittle) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const text = new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes)
  return text.replace(/(<\?xml\b[^<>]{0,99}encoding=["'])UTF-16\w*/i, '$1UTF-8')
}

function readItems(packet: string, elements: readonly XmlElement[]): ContainerItem[] {
  return listedItems(packet, elements).map(({ item }) => item)
}

/** An entry of the directory: what it says, the element that holds it, and where the number of its padding is written. */
export type ListedItem = {
  readonly item: ContainerItem
  readonly element: XmlElement
  readonly padding: { readonly start: number; readonly end: number } | undefined
}

/** The entries of the directory, in order. */
export function readDirectory(packet: string): ListedItem[] {
  return listedItems(packet, readXmpElements(packet))
}

function listedItems(packet: string, elements: readonly XmlElement[]): ListedItem[] {
  const starts = elements.flatMap(({ space, local }, i) =>
    space === XMP_NAMESPACES.rdf && local === 'li' ? [i] : [],
  )
  return starts
    .slice(0, MAX_ITEMS)
    .flatMap((at, i) => {
      const element = elements[at]
      if (!element) return []
      const inside = elements.slice(at, starts[i + 1]).filter(({ start }) => start < element.end)
      const read = propertyReader(packet, inside, 'Item')
      const item = {
        mime: read.text('Mime'),
        semantic: read.text('Semantic'),
        length: read.number('Length'),
        padding: read.number('Padding'),
      }
      return [{ item, element, padding: paddingSpan(packet, inside) }]
    })
    .filter(({ item }) => item.mime !== undefined || item.semantic !== undefined)
}

/** Where the digits are, of an attribute or an element. */
function paddingSpan(packet: string, inside: readonly XmlElement[]): ListedItem['padding'] {
  const isPadding = (name: Pick<XmlElement, 'space' | 'local'>) =>
    name.space === XMP_NAMESPACES.Item && name.local === 'Padding'
  const spans = inside.flatMap((element) => [
    ...(isPadding(element) ? [{ start: element.contentStart, end: element.contentEnd }] : []),
    ...element.attributes.filter(isPadding),
  ])
  const [found] = spans
  const digits = found && /\d+(?=\D*$)/.exec(packet.slice(found.start, found.end))
  if (!digits) return undefined
  return { start: found.start + digits.index, end: found.start + digits.index + digits[0].length }
}

/** Reads properties of one namespace from these elements; of several values the first. */
function propertyReader(
  packet: string,
  elements: readonly XmlElement[],
  usualPrefix: keyof typeof XMP_NAMESPACES,
) {
  const uri = XMP_NAMESPACES[usualPrefix]
  const values = new Map<string, string>()
  const put = (name: string, value: string | undefined) => {
    if (value !== undefined && !values.has(name)) values.set(name, value.trim())
  }
  for (const element of elements) {
    if (element.space === uri) put(element.local, textOfElement(packet, element))
    for (const { space, local, value } of element.attributes) if (space === uri) put(local, value)
  }
  const number = (name: string): number | undefined => {
    const value = values.get(name) ?? ''
    return /^-?\d{1,15}$/.test(value) ? Number(value) : undefined
  }
  return { isSpoken: values.size > 0, text: (name: string) => values.get(name), number }
}
