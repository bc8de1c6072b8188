import { XMP_NAMESPACES } from './xmp'

export type ContainerItem = {
  readonly mime: string | undefined
  readonly semantic: string | undefined
  readonly length: number | undefined
  readonly padding: number | undefined
}

/** The fields of a motion photo's XMP. A field that is absent, or should be a number and is none, is undefined. */
export type MotionPhotoXmp = {
  readonly motionPhoto: number | undefined
  readonly motionPhotoVersion: number | undefined
  readonly presentationTimestampUs: number | undefined
  readonly microVideo: number | undefined
  readonly microVideoVersion: number | undefined
  readonly microVideoOffset: number | undefined
  readonly microVideoPresentationTimestampUs: number | undefined
  readonly items: readonly ContainerItem[]
  /** Android's MediaStore knows the photo by it. */
  readonly isSpecialFormat: boolean
  /** Undefined when the packet does not use vivo's namespace. */
  readonly vivo:
    | {
        readonly motionPhotoVersion: number | undefined
        readonly motionPhotoSource: number | undefined
        readonly mediaKitVersion: string | undefined
      }
    | undefined
  /** Undefined when the packet does not use OPPO's namespace. */
  readonly oplus:
    | {
        readonly presentationTimestampUs: number | undefined
        readonly owner: string | undefined
        readonly oLivePhotoVersion: number | undefined
        readonly videoLength: number | undefined
        readonly featureFlag: number | undefined
      }
    | undefined
}

/** More items than any phone writes; a primary image, a gain map, depth, a clip or two. */
const MAX_ITEMS = 32

/**
 * Reads the motion photo fields of an XMP packet: as attributes or as elements, under whatever prefix the namespaces
 * have. Not an XML parser: it finds known properties and ignores everything else, broken XML included.
 */
export function readXmpPacket(packet: string): MotionPhotoXmp {
  const camera = propertyReader(packet, 'GCamera')
  const vivo = propertyReader(packet, 'VCamera')
  const oplus = propertyReader(packet, 'OpCamera')
  return {
    motionPhoto: camera.number('MotionPhoto'),
    motionPhotoVersion: camera.number('MotionPhotoVersion'),
    presentationTimestampUs: camera.number('MotionPhotoPresentationTimestampUs'),
    microVideo: camera.number('MicroVideo'),
    microVideoVersion: camera.number('MicroVideoVersion'),
    microVideoOffset: camera.number('MicroVideoOffset'),
    microVideoPresentationTimestampUs: camera.number('MicroVideoPresentationTimestampUs'),
    items: readItems(packet),
    isSpecialFormat: hasSpecialFormat(packet),
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
export const DESCRIPTION_START = /<rdf:Description\b(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/

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

/** The prefix that a packet declares for a namespace, as a pattern; undefined when it declares none. */
export function declaredPrefix(packet: string, usualPrefix: keyof typeof XMP_NAMESPACES): string | undefined {
  const uri = XMP_NAMESPACES[usualPrefix].replaceAll('.', '\\.')
  const declared = new RegExp(`xmlns:([A-Za-z_][\\w.-]{0,63})\\s{0,9}=\\s{0,9}["']${uri}["']`).exec(packet)
  return declared?.[1]?.replaceAll('.', '\\.')
}

function readItems(packet: string): ContainerItem[] {
  return packet
    .split(/<rdf:li\b/, MAX_ITEMS + 1)
    .slice(1)
    .map((part) => {
      const item = propertyReader(part.split('</rdf:li>', 1)[0] ?? '', 'Item', packet)
      return {
        mime: item.text('Mime'),
        semantic: item.text('Semantic'),
        length: item.number('Length'),
        padding: item.number('Padding'),
      }
    })
    .filter((item) => item.mime !== undefined || item.semantic !== undefined)
}

/**
 * Reads properties of one namespace from `text`; its prefix is declared in `packet`.
 * The patterns stop at `<`, so that even hostile text is scanned only a few times.
 */
function propertyReader(text: string, usualPrefix: keyof typeof XMP_NAMESPACES, packet = text) {
  const declared = declaredPrefix(packet, usualPrefix)
  const prefix = declared ?? usualPrefix

  const readText = (name: string): string | undefined => {
    const attribute = new RegExp(`\\s${prefix}:${name}\\s{0,9}=\\s{0,9}(?:"([^"<]*)"|'([^'<]*)')`).exec(text)
    const element = new RegExp(`<${prefix}:${name}(?:\\s[^<>]*)?>([^<]*)</`).exec(text)
    return (attribute?.[1] ?? attribute?.[2] ?? element?.[1])?.trim()
  }
  const readNumber = (name: string): number | undefined => {
    const value = readText(name)
    return value !== undefined && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined
  }
  return { isSpoken: declared !== undefined, text: readText, number: readNumber }
}
