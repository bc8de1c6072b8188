import type { PhotoChange } from '../exif/photoChange'
import type { PixelChange } from '../exif/pixelChange'
import { isoTime } from '../exif/wallClock'
import type { Span } from './patchXmp'
import { readXmpElements } from './readXmp'
import { textOfElement, type XmlAttribute, type XmlElement } from './xmlElements'

const TIFF = 'http://ns.adobe.com/tiff/1.0/'
const EXIF = 'http://ns.adobe.com/exif/1.0/'
const XMP = 'http://ns.adobe.com/xap/1.0/'
const PHOTOSHOP = 'http://ns.adobe.com/photoshop/1.0/'
const REGIONS = 'http://www.metadataworkinggroup.com/schemas/regions/'
const AREA = 'http://ns.adobe.com/xmp/sType/Area#'
const DIMENSIONS = 'http://ns.adobe.com/xap/1.0/sType/Dimensions#'
const MICROSOFT_REGION = 'http://ns.microsoft.com/photo/1.2/t/Region#'
const PANORAMA = 'http://ns.google.com/photos/1.0/panorama/'
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

/** Bytes of a depth map, and of the picture that it is of. */
const DEPTH = ['http://ns.google.com/photos/1.0/depthmap/', 'http://ns.google.com/photos/1.0/image/']
const NOTE = 'http://ns.adobe.com/xmp/note/'

/** What cannot be kept of a packet when pixels move. */
export type XmpLoss = 'panorama' | 'depth' | 'regions'

/** A text to put in place of a part of the packet. */
type Replacement = Span & { readonly text: string }

/**
 * Changes what XMP says of a photo, in its place: orientation and sizes, the date if another is given, areas of faces. What says of
 * the old pixels only is taken out: a thumbnail, a depth map.
 * @see XMP Specification, part 2; MWG, Guidelines for Handling Image Metadata 2.0, 5.9 (regions)
 */
export function changeXmp(packet: string, change: PhotoChange): { packet: string; lost: readonly XmpLoss[] } {
  const elements = readXmpElements(packet)
  const { pixels } = change
  const values = valuesOf(change)
  const regions = pixels ? changeRegions(packet, elements, pixels) : NO_REGIONS
  const obsolete = pixels ? obsoleteSpans(elements) : NO_SPANS
  const replacements = [...replaceValues(packet, elements, values), ...regions.replaced]
  return {
    packet: rewritten(packet, [...replacements, ...regions.cut, ...obsolete.cut]),
    lost: [...obsolete.lost, ...(regions.isLost ? (['regions'] as const) : [])],
  }
}

type Values = ReadonlyMap<string, string>

/** New values of properties, where those are there. */
function valuesOf({ orientation, takenAt, isDateGiven, pixels }: PhotoChange): Values {
  const date = takenAt && isDateGiven ? isoTime(takenAt) : undefined
  const all: readonly (readonly [string, string | undefined])[] = [
    [`${TIFF} Orientation`, String(orientation)],
    [`${TIFF} ImageWidth`, pixels && String(pixels.to.width)],
    [`${TIFF} ImageLength`, pixels && String(pixels.to.height)],
    [`${EXIF} PixelXDimension`, pixels && String(pixels.to.width)],
    [`${EXIF} PixelYDimension`, pixels && String(pixels.to.height)],
    [`${EXIF} DateTimeOriginal`, date],
    [`${EXIF} DateTimeDigitized`, date],
    [`${XMP} CreateDate`, date],
    [`${PHOTOSHOP} DateCreated`, date],
  ]
  return new Map(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}

function replaceValues(packet: string, elements: readonly XmlElement[], values: Values): Replacement[] {
  return elements.flatMap((element) => {
    const own = values.get(`${element.space} ${element.local}`)
    const isPlain = own !== undefined && textOfElement(packet, element) !== undefined
    const text = isPlain ? [replaceText(element, own)] : []
    const attributes = element.attributes.flatMap((attribute) => {
      const value = values.get(`${attribute.space} ${attribute.local}`)
      return value === undefined ? [] : [replaceAttribute(packet, attribute, value)]
    })
    return [...attributes, ...text]
  })
}

function replaceAttribute(packet: string, { start, end }: XmlAttribute, value: string): Replacement {
  const old = packet.slice(start, end)
  return { start, end, text: old.replace(/(["'])[^"']*\1$/, `"${value}"`) }
}

function replaceText({ contentStart, contentEnd }: XmlElement, text: string): Replacement {
  return { start: contentStart, end: contentEnd, text }
}

type Regions = {
  readonly replaced: readonly Replacement[]
  readonly cut: readonly Span[]
  readonly isLost: boolean
}

const NO_REGIONS: Regions = { replaced: [], cut: [], isLost: false }

/** Regions count in shares of the picture as it is stored. Those outside of the new picture are taken out. */
function changeRegions(packet: string, elements: readonly XmlElement[], pixels: PixelChange): Regions {
  const changed = elements.map((element, i): Regions => {
    const name = `${element.space} ${element.local}`
    if (name === `${REGIONS} Area`) return changeArea(packet, elements, i, pixels)
    if (name === `${REGIONS} AppliedToDimensions`) return changeDimensions(packet, elements, i, pixels)
    return changeRectangle(packet, elements, element, pixels)
  })
  return {
    replaced: changed.flatMap(({ replaced }) => replaced),
    cut: changed.flatMap(({ cut }) => cut),
    isLost: changed.some(({ isLost }) => isLost),
  }
}

/** The properties of a structure, as attributes or elements: each with what puts another value in its place. */
function fieldsOf(packet: string, elements: readonly XmlElement[], at: number, space: string) {
  const fields = new Map<string, { readonly value: string; readonly put: (value: string) => Replacement }>()
  const end = elements[at]?.end ?? 0
  for (const element of elements.slice(at)) {
    if (element.start >= end) break
    const text = element.space === space ? textOfElement(packet, element) : undefined
    if (text !== undefined)
      fields.set(element.local, { value: text, put: (value) => replaceText(element, value) })
    for (const attribute of element.attributes)
      if (attribute.space === space)
        fields.set(attribute.local, {
          value: attribute.value,
          put: (value) => replaceAttribute(packet, attribute, value),
        })
  }
  return fields
}

function changeArea(
  packet: string,
  elements: readonly XmlElement[],
  at: number,
  pixels: PixelChange,
): Regions {
  const { from, to } = pixels
  const fields = fieldsOf(packet, elements, at, AREA)
  const number = (name: string) => Number(fields.get(name)?.value ?? Number.NaN)
  const [x, y, d] = [number('x'), number('y'), number('d')]
  // A point has no sides, a circle has a diameter, in shares of the width.
  const width = fields.has('w') ? number('w') : d || 0
  const height = fields.has('h') ? number('h') : (d || 0) * (from.width / from.height)
  const isNormal = (fields.get('unit')?.value ?? 'normalized') === 'normalized'
  if (!isNormal || !Number.isFinite(x + y + width + height)) return { ...NO_REGIONS, isLost: true }
  const moved = pixels.areaOf({ x, y, width, height })
  if (!moved) return { ...NO_REGIONS, cut: regionAround(elements, at) }
  const diameter = Number.isNaN(d) ? undefined : (d * from.width * Math.abs(pixels.scale)) / to.width
  const wanted = { x: moved.x, y: moved.y, w: moved.width, h: moved.height, d: diameter }
  const replaced = Object.entries(wanted).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field && value !== undefined ? [field.put(shortNumber(value))] : []
  })
  return { ...NO_REGIONS, replaced }
}

function changeDimensions(
  packet: string,
  elements: readonly XmlElement[],
  at: number,
  { to }: PixelChange,
): Regions {
  const fields = fieldsOf(packet, elements, at, DIMENSIONS)
  const sizes = { w: String(to.width), h: String(to.height) }
  const replaced = Object.entries(sizes).flatMap(([name, value]) => fields.get(name)?.put(value) ?? [])
  return { ...NO_REGIONS, replaced }
}

/** Microsoft's: `x, y, width, height` from the upper left. */
function changeRectangle(
  packet: string,
  elements: readonly XmlElement[],
  element: XmlElement,
  pixels: PixelChange,
): Regions {
  const isRectangle = ({ space, local }: { readonly space: string | undefined; readonly local: string }) =>
    space === MICROSOFT_REGION && local === 'Rectangle'
  const attribute = element.attributes.find(isRectangle)
  const text = isRectangle(element) ? textOfElement(packet, element) : attribute?.value
  if (text === undefined) return NO_REGIONS
  const [x = Number.NaN, y = 0, width = 0, height = 0] = text.split(',').map(Number)
  const moved = pixels.areaOf({ x: x + width / 2, y: y + height / 2, width, height })
  const at = elements.indexOf(element)
  if (!moved) return { ...NO_REGIONS, cut: regionAround(elements, at) }
  const value = [moved.x - moved.width / 2, moved.y - moved.height / 2, moved.width, moved.height]
    .map(shortNumber)
    .join(', ')
  const replaced = attribute ? replaceAttribute(packet, attribute, value) : replaceText(element, value)
  return { ...NO_REGIONS, replaced: [replaced] }
}

/** The item of a list in which an element is. */
function regionAround(elements: readonly XmlElement[], at: number): readonly Span[] {
  const inner = elements[at]
  const around = elements
    .slice(0, at + 1)
    .findLast((one) => inner && one.space === RDF && one.local === 'li' && one.end >= inner.end)
  return around ? [around] : []
}

function shortNumber(value: number): string {
  return String(Number(value.toFixed(6)))
}

const NO_SPANS = { cut: [] as readonly Span[], lost: [] as readonly XmpLoss[] }

/** What says of the old pixels only. */
function obsoleteSpans(elements: readonly XmlElement[]) {
  const all = elements.flatMap((element) => [element, ...element.attributes])
  const has = (isMeant: (space: string) => boolean) => all.some(({ space = '' }) => isMeant(space))
  const isPanorama = (space: string) => space === PANORAMA
  const isDepth = (space: string) => DEPTH.includes(space)
  const [hasPanorama, hasDepth] = [has(isPanorama), has(isDepth)]
  const cut = all.filter(
    ({ space = '', local }) =>
      isPanorama(space) ||
      isDepth(space) ||
      (hasDepth && space === NOTE && local === 'HasExtendedXMP') ||
      (space === XMP && local === 'Thumbnails'),
  )
  const lost: XmpLoss[] = [
    ...(hasPanorama ? (['panorama'] as const) : []),
    ...(hasDepth ? (['depth'] as const) : []),
  ]
  return { cut, lost }
}

/** @param changes of which one may lie in another: the outer one counts */
function rewritten(packet: string, changes: readonly (Span | Replacement)[]): string {
  const sorted = changes.toSorted((one, other) => one.start - other.start || other.end - one.end)
  let at = 0
  const pieces: string[] = []
  for (const change of sorted) {
    if (change.start < at) continue
    pieces.push(packet.slice(at, change.start), 'text' in change ? change.text : '')
    at = change.end
  }
  return [...pieces, packet.slice(at)].join('')
}
