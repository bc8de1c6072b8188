import { cut, isOwnName, VENDOR_SPACE } from './patchXmp'
import { type ContainerItem, isClipItem, readDirectory, readXmpElements } from './readXmp'
import type { XmlAttribute, XmlElement } from './xmlElements'
import { XMP_NAMESPACES } from './xmp'

/** What a file without its clip has beside its main picture, in the order of the file. */
export type StillPictures = {
  /** Bytes of each. */
  readonly lengths: readonly number[]
  /** Bytes that belong to none, after the main picture and after each of the others. */
  readonly paddings: readonly number[]
}

type Span = { readonly start: number; readonly end: number }

/**
 * The packet without anything that makes a motion photo of its file, and without the namespaces of phone makers. Of the directory
 * the clip goes, and what it says of padding becomes true; one that lists no other picture any more goes, too.
 * @param pictures undefined: none but the main one, as in a HEIC
 */
export function clearXmp(packet: string, pictures?: StillPictures): string {
  const directory = readDirectory(packet)
  const others = directory.filter(({ item }) => item.semantic !== 'Primary' && !isClipItem(item))
  const isKept = others.length > 0 && (pictures?.lengths.length ?? 0) > 0
  // Of a gain map that only the index lists, or that is in a HEIC, its numbers stay.
  const isLost = pictures?.lengths.length === 0
  const spans = readXmpElements(packet).flatMap((element): readonly Span[] => {
    const isCut = ({ space = '', local }: Pick<XmlElement, 'space' | 'local'>) =>
      (isOwnName({ space, local }) && !(isKept && isDirectory({ space, local }))) ||
      VENDOR_SPACE.test(space) ||
      (isLost && space === XMP_NAMESPACES.hdrgm)
    return isCut(element) ? [element] : element.attributes.filter(isCut)
  })
  const clips = isKept ? directory.filter(({ item }) => isClipItem(item)) : []
  const all = [...spans, ...clips.map(({ element }) => element)].sort((a, b) => a.start - b.start)
  const cleared = withoutUnused(cut(packet, all))
  return isKept && pictures ? withPaddings(cleared, pictures) : cleared
}

function isDirectory({ space, local }: Pick<XmlElement, 'space' | 'local'>): boolean {
  return space === XMP_NAMESPACES.Container && local === 'Directory'
}

/** Without declarations of what only a motion photo or a gain map needs, where nothing uses them. */
function withoutUnused(packet: string): string {
  const names = readXmpElements(packet).flatMap((element) => [element, ...element.attributes])
  const used = new Set(names.map(({ space }) => space))
  const unused = names.filter(
    (one): one is XmlAttribute =>
      'value' in one && one.name.startsWith('xmlns:') && isMarkingSpace(one.value) && !used.has(one.value),
  )
  return cut(packet, unused)
}

/** Nothing but a motion photo or a gain map needs these namespaces. */
function isMarkingSpace(space: string): boolean {
  const { GCamera, Container, Item, hdrgm } = XMP_NAMESPACES
  return VENDOR_SPACE.test(space) || [GCamera, Container, Item, hdrgm].some((own) => own === space)
}

/** The directory with the true paddings, where it lists the pictures that there are. */
function withPaddings(packet: string, { lengths, paddings }: StillPictures): string {
  const directory = readDirectory(packet)
  const [first, ...others] = directory
  const isTrue =
    first?.item.semantic === 'Primary' &&
    others.length === lengths.length &&
    others.every(({ item }, i) => item.length === lengths[i])
  const changes = directory.flatMap(({ item, padding }, i) => {
    const wanted = isTrue ? paddings[i] : paddingWithoutClip(item)
    return padding && wanted !== undefined && wanted !== item.padding ? [{ padding, wanted }] : []
  })
  let [changed, at] = ['', 0]
  for (const { padding, wanted } of changes.sort((a, b) => a.padding.start - b.padding.start)) {
    changed += `${packet.slice(at, padding.start)}${wanted}`
    at = padding.end
  }
  return changed + packet.slice(at)
}

/** Bytes of Samsung's header before a clip, which is gone. */
const CLIP_HEADER_BYTES = 24

function paddingWithoutClip({ padding }: ContainerItem): number | undefined {
  return padding === CLIP_HEADER_BYTES ? 0 : undefined
}
