import { asciiBytes, concatBytes } from '#core/bytes'
import { APP1, encodeSegment } from './jpeg'
import { type MotionPhotoProfile, PROFILE_TRAITS } from './profile'

export const XMP_MARK = asciiBytes('http://ns.adobe.com/xap/1.0/\0')

export const XMP_NAMESPACES = {
  GCamera: 'http://ns.google.com/photos/1.0/camera/',
  Container: 'http://ns.google.com/photos/1.0/container/',
  Item: 'http://ns.google.com/photos/1.0/container/item/',
  VCamera: 'http://ns.vivo.com/photos/1.0/camera/',
  OpCamera: 'http://ns.oplus.com/photos/1.0/camera/',
} as const

export type XmpFields = {
  readonly profile: MotionPhotoProfile
  /** Whole microseconds from the clip's start. */
  readonly presentationTimestampUs: number
  /** Bytes between the primary image's end and the clip. */
  readonly paddingBytes: number
  /** Bytes of the clip alone. */
  readonly clipBytes: number
  /** Bytes from the clip's start to the end of the file. */
  readonly tailBytes: number
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
  const traits = PROFILE_TRAITS[fields.profile]
  const vendors = traits.vendorTags ? (['VCamera', 'OpCamera'] as const) : []
  const prefixes = ['GCamera', 'Container', 'Item', ...vendors] as const
  const attributes = [
    ...prefixes.map((prefix): Attribute => [`xmlns:${prefix}`, XMP_NAMESPACES[prefix]]),
    ...motionPhotoAttributes(fields),
    ...(traits.microVideo ? microVideoAttributes(fields) : []),
    ...(traits.vendorTags ? vendorAttributes(fields) : []),
  ]
  return [
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '    <rdf:Description rdf:about=""',
    `${attributes.map(([name, value]) => `        ${name}="${value}"`).join('\n')}>`,
    '      <Container:Directory>',
    '        <rdf:Seq>',
    // Padding on both items: exiftool 13 fails on a file that has it on one only.
    ...directoryItem('image/jpeg', 'Primary', 0, fields.paddingBytes),
    ...directoryItem('video/mp4', 'MotionPhoto', fields.tailBytes, 0),
    '        </rdf:Seq>',
    '      </Container:Directory>',
    '    </rdf:Description>',
    '  </rdf:RDF>',
    '</x:xmpmeta>',
    '<?xpacket end="w"?>',
  ].join('\n')
}

type Attribute = readonly [name: string, value: string | number]

function motionPhotoAttributes(fields: XmpFields): Attribute[] {
  return [
    ['GCamera:MotionPhoto', 1],
    ['GCamera:MotionPhotoVersion', 1],
    ['GCamera:MotionPhotoPresentationTimestampUs', fields.presentationTimestampUs],
  ]
}

function microVideoAttributes(fields: XmpFields): Attribute[] {
  return [
    ['GCamera:MicroVideo', 1],
    ['GCamera:MicroVideoVersion', 1],
    ['GCamera:MicroVideoOffset', fields.tailBytes],
    ['GCamera:MicroVideoPresentationTimestampUs', fields.presentationTimestampUs],
  ]
}

function vendorAttributes(fields: XmpFields): Attribute[] {
  return [
    ['VCamera:VMotionPhotoVersion', 1],
    ['VCamera:VMotionPhotoSource', 1],
    ['VCamera:VMediaKitVersion', '1.0.0.5'],
    ['OpCamera:MotionPhotoPrimaryPresentationTimestampUs', fields.presentationTimestampUs],
    ['OpCamera:MotionPhotoOwner', 'oplus'],
    ['OpCamera:OLivePhotoVersion', 2],
    // The clip alone, as OPPO's own camera counts it, and not the distance to the end of the file.
    ['OpCamera:VideoLength', fields.clipBytes],
    ['OpCamera:MotionPhotoFeatureFlag', 1],
  ]
}

function directoryItem(mime: string, semantic: string, length: number, padding: number): string[] {
  return [
    '          <rdf:li rdf:parseType="Resource">',
    '            <Container:Item',
    `                Item:Mime="${mime}"`,
    `                Item:Semantic="${semantic}"`,
    `                Item:Length="${length}"`,
    `                Item:Padding="${padding}"/>`,
    '          </rdf:li>',
  ]
}
