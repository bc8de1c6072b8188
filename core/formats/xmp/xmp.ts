import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { APP1, encodeSegment } from '../jpeg/jpeg'
import { type ChangedProfile, type ProfileTraits, traitsOf } from '../profiles/profile'

export const XMP_MARK = asciiBytes('http://ns.adobe.com/xap/1.0/\0')

export const XMP_NAMESPACES = {
  GCamera: 'http://ns.google.com/photos/1.0/camera/',
  Container: 'http://ns.google.com/photos/1.0/container/',
  Item: 'http://ns.google.com/photos/1.0/container/item/',
  VCamera: 'http://ns.vivo.com/photos/1.0/camera/',
  OpCamera: 'http://ns.oplus.com/photos/1.0/camera/',
  hdrgm: 'http://ns.adobe.com/hdr-gain-map/1.0/',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
} as const

export type XmpFields = ChangedProfile & {
  /** Whole microseconds from the clip's start. */
  readonly presentationTimestampUs: number
  /** Pictures between the primary image and the clip, such as a gain map; none by default. */
  readonly others?: readonly DirectoryItem[]
  /** Bytes before the clip that belong to no picture. */
  readonly paddingBytes: number
  /** Media type of the main picture. @default 'image/jpeg' */
  readonly pictureType?: string
  /** Bytes of the clip alone. */
  readonly clipBytes: number
  /** Bytes from the clip's start to the end of the file. */
  readonly tailBytes: number
}

/** A part of the file, as Container:Directory lists it. */
export type DirectoryItem = {
  readonly mime: string
  readonly semantic: string
  readonly length: number
  readonly padding: number
}

/**
 * The APP1 segment with the XMP packet of a motion photo, marker and length included.
 *
 * Galleries read this with regular expressions as often as with a parser, so the form matters: one rdf:Description,
 * attributes in double quotes, `xmlns:rdf` on rdf:RDF and all others on the Description.
 * @see https://developer.android.com/media/platform/motion-photo-format; docs/motion-photo.md, "XMP"
 */
export function encodeXmpSegment(fields: XmpFields): Uint8Array {
  // The packet is ASCII but for the byte order mark in its wrapper, which is why it needs a real UTF-8 encoder.
  return encodeSegment(APP1, concatBytes([XMP_MARK, new TextEncoder().encode(xmpPacket(fields))]))
}

/** The packet alone, as text. */
export function xmpPacket(fields: XmpFields): string {
  return [
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '    <rdf:Description rdf:about=""',
    `${xmpAttributes(fields)
      .map(([name, value]) => `        ${name}="${value}"`)
      .join('\n')}>`,
    ...xmpDirectory(fields),
    '    </rdf:Description>',
    '  </rdf:RDF>',
    '</x:xmpmeta>',
    '<?xpacket end="w"?>',
  ].join('\n')
}

/** The attributes of the packet's rdf:Description, namespaces first. */
export function xmpAttributes(fields: XmpFields): Attribute[] {
  const { others = [] } = fields
  const traits = traitsOf(fields)
  const moment = (name: string) => timestamp(name, fields.presentationTimestampUs, traits)
  const vivo: Attribute[] = [
    ['VCamera:VMotionPhotoVersion', 1],
    ['VCamera:VMotionPhotoSource', 1],
    ['VCamera:VMediaKitVersion', '1.0.0.5'],
  ]
  const oppo: Attribute[] = [
    ...moment('OpCamera:MotionPhotoPrimaryPresentationTimestampUs'),
    ['OpCamera:MotionPhotoOwner', 'oplus'],
    ['OpCamera:OLivePhotoVersion', 2],
    // The clip alone, as OPPO's own camera counts it, and not the distance to the end of the file.
    ['OpCamera:VideoLength', fields.clipBytes],
    ['OpCamera:MotionPhotoFeatureFlag', 1],
  ]
  const microVideo: Attribute[] = [
    ['GCamera:MicroVideo', 1],
    ['GCamera:MicroVideoVersion', 1],
    ['GCamera:MicroVideoOffset', fields.tailBytes],
    ...moment('GCamera:MicroVideoPresentationTimestampUs'),
  ]
  const attributes: Attribute[] = [
    ['GCamera:MotionPhoto', 1],
    ['GCamera:MotionPhotoVersion', 1],
    ...moment('GCamera:MotionPhotoPresentationTimestampUs'),
    ...(traits.microVideo ? microVideo : []),
    ...(traits.vivoFields ? vivo : []),
    ...(traits.oppoFields ? oppo : []),
    // By this version readers know that the file has a gain map; its numbers are in the map's own packet.
    ...(others.some(({ semantic }) => semantic === 'GainMap') ? [['hdrgm:Version', '1.0'] as const] : []),
  ]
  // The directory uses two more.
  const used = new Set(['Container', 'Item', ...attributes.map(([name]) => name.split(':')[0])])
  const namespaces = Object.entries(XMP_NAMESPACES).filter(([prefix]) => used.has(prefix))
  return [...namespaces.map(([prefix, uri]): Attribute => [`xmlns:${prefix}`, uri]), ...attributes]
}

/** The directory of the packet, line by line. */
export function xmpDirectory(fields: XmpFields): string[] {
  const { others = [], paddingBytes, tailBytes, pictureType = 'image/jpeg' } = fields
  const { itemPadding, firstItem } = traitsOf(fields)
  // By the specification the primary item has the bytes that belong to no picture; Google's checker counts only those. exiftool,
  // which goes from item to item, needs them at the picture before the clip.
  const primary = { mime: pictureType, semantic: 'Primary', length: 0, padding: paddingBytes }
  const last = others.length - 1
  const pictures = [
    primary,
    ...others.map((item, i) => ({ ...item, padding: i === last ? paddingBytes : 0 })),
  ]
  const clip = { mime: 'video/mp4', semantic: 'MotionPhoto', length: tailBytes, padding: 0 }
  return directoryOf(firstItem === 'picture' ? [...pictures, clip] : [clip, ...pictures], itemPadding)
}

export function gainMapItem(length: number): DirectoryItem {
  return { mime: 'image/jpeg', semantic: 'GainMap', length, padding: 0 }
}

/** @param hasPadding of all items: exiftool 13 fails on a file that has it on some only */
function directoryOf(items: readonly DirectoryItem[], hasPadding: boolean): string[] {
  return [
    '      <Container:Directory>',
    '        <rdf:Seq>',
    ...items.flatMap((item) => directoryItem(item, hasPadding)),
    '        </rdf:Seq>',
    '      </Container:Directory>',
  ]
}

export type Attribute = readonly [name: string, value: string | number]

function timestamp(name: string, us: number, { timestamp: kind }: ProfileTraits): Attribute[] {
  if (kind === 'absent') return []
  if (kind === 'zero') return [[name, 0]]
  return [[name, kind === 'microseconds' ? us : Math.round(us / 1000)]]
}

function directoryItem({ mime, semantic, length, padding }: DirectoryItem, hasPadding: boolean): string[] {
  return [
    '          <rdf:li rdf:parseType="Resource">',
    '            <Container:Item',
    `                Item:Mime="${mime}"`,
    `                Item:Semantic="${semantic}"`,
    `                Item:Length="${length}"${hasPadding ? '' : '/>'}`,
    ...(hasPadding ? [`                Item:Padding="${padding}"/>`] : []),
    '          </rdf:li>',
  ]
}
