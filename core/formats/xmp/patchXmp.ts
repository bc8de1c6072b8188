import { DESCRIPTION_START, declaredPrefix, readXmpPacket } from './readXmp'
import { type XmpFields, xmpAttributes, xmpDirectory, xmpPacket } from './xmp'

/** Properties that a motion photo's packet has just once. What else is in their namespaces stays. */
const OWN_PROPERTIES = {
  GCamera:
    'MotionPhoto MotionPhotoVersion MotionPhotoPresentationTimestampUs MicroVideo MicroVideoVersion MicroVideoOffset MicroVideoPresentationTimestampUs',
  VCamera: 'VMotionPhotoVersion VMotionPhotoSource VMediaKitVersion',
  OpCamera:
    'MotionPhotoPrimaryPresentationTimestampUs MotionPhotoOwner OLivePhotoVersion VideoLength MotionPhotoFeatureFlag',
} as const

/**
 * Writes the fields of a motion photo into an XMP packet and keeps all else that is in it: a gain map's parameters,
 * ratings, keywords. A packet that has the fields already stays as it is.
 * @param packet undefined where there is none
 * @returns undefined when the packet has no place for them, or would not read as it should
 */
export function patchXmp(packet: string | undefined, fields: XmpFields): string | undefined {
  if (packet === undefined) return xmpPacket(fields)
  if (isAsWanted(packet, fields)) return packet
  const cleared = clearXmp(packet)
  const start = DESCRIPTION_START.exec(cleared)
  if (!start) return undefined
  const [tag] = start
  const isEmpty = tag.endsWith('/>')
  const attributes = xmpAttributes(fields).filter(([name]) => !isDeclaredIn(tag, name))
  const patched = [
    cleared.slice(0, start.index),
    tag.slice(0, isEmpty ? -2 : -1).trimEnd(),
    ...attributes.map(([name, value]) => `\n        ${name}="${value}"`),
    '>\n',
    xmpDirectory(fields).join('\n'),
    isEmpty ? '\n    </rdf:Description>' : '',
    cleared.slice(start.index + tag.length),
  ].join('')
  return isAsWanted(patched, fields) ? patched : undefined
}

/** The packet without anything that makes a motion photo of its file. */
export function clearXmp(packet: string): string {
  const container = declaredPrefix(packet, 'Container') ?? 'Container'
  const [before, ...parts] = packet.split(new RegExp(`<${container}:Directory\\b`))
  const after = parts.map((part) =>
    part
      .split(new RegExp(`</${container}:Directory\\s{0,9}>`))
      .slice(1)
      .join(''),
  )
  let cleared = [before, ...after].join('')
  for (const usual of ['GCamera', 'VCamera', 'OpCamera'] as const) {
    const prefix = declaredPrefix(packet, usual) ?? usual
    for (const name of OWN_PROPERTIES[usual].split(' '))
      cleared = withoutProperty(cleared, `${prefix}:${name}`)
  }
  return cleared
}

/** The patterns stop at `<`, so that even hostile text is scanned only a few times. */
function withoutProperty(text: string, name: string): string {
  const attribute = new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}(?:"[^"<]*"|'[^'<]*')`, 'g')
  const element = new RegExp(`<${name}(?:\\s[^<>]*)?>[^<]*</${name}\\s{0,9}>`, 'g')
  return text.replace(attribute, '').replace(element, '')
}

function isDeclaredIn(tag: string, name: string): boolean {
  return name.startsWith('xmlns:') && new RegExp(`\\s${name}\\s{0,9}=`).test(tag)
}

function isAsWanted(packet: string, fields: XmpFields): boolean {
  const read = readXmpPacket(packet)
  const wanted = readXmpPacket(xmpPacket(fields))
  // What a profile does not write of a phone's namespace may stay, and so may the packet's own prefixes.
  const compared = {
    ...read,
    isSpecialFormat: wanted.isSpecialFormat,
    vivo: wanted.vivo && read.vivo,
    oplus: wanted.oplus && read.oplus,
  }
  return JSON.stringify(compared) === JSON.stringify(wanted)
}
