import { clipAt, findMpvd, type Judge, NO_MOTION_PHOTO, type Opinion } from './opinion'

// Android's player. Its rules are those of androidx/media, libraries/extractor: XmpMotionPhotoDescriptionParser,
// MotionPhotoDescription, JpegMotionPhotoExtractor, HeicMotionPhotoExtractor.

const SOS = 0xda
const XMP_MARK = 'http://ns.adobe.com/xap/1.0/\0'

/** Takes a JPEG by its XMP, which it reads by the usual prefixes only; a HEIC by its box `mpvd`, without XMP. */
export const media3: Judge = (file) => (file.readUInt16BE(0) === 0xffd8 ? judgeJpeg(file) : judgeHeic(file))

function judgeJpeg(file: Buffer): Opinion {
  for (const packet of xmpPackets(file)) {
    const description = describe(packet)
    const place = description && placeVideo(description.items, file.length)
    // An MP4 must begin there, or it reads no further.
    if (place) return clipAt(file, place, description.stillUs)
  }
  return NO_MOTION_PHOTO
}

function judgeHeic(file: Buffer): Opinion {
  const box = findMpvd(file)
  return clipAt(file, box && box.start + box.header)
}

/** XMP in segments before the picture's data. */
function* xmpPackets(file: Buffer): Generator<string, void> {
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff && file[at + 1] !== SOS; ) {
    const end = at + 2 + file.readUInt16BE(at + 2)
    const payload = file.subarray(at + 4, end)
    if (file[at + 1] === 0xe1 && payload.indexOf(XMP_MARK, 0, 'latin1') === 0)
      yield payload.toString('utf8', XMP_MARK.length).split('\0', 1)[0] ?? ''
    at = end
  }
}

type Item = { readonly mime: string; readonly length: number; readonly padding: number }

const FLAGS = ['Camera:MotionPhoto', 'GCamera:MotionPhoto', 'Camera:MicroVideo', 'GCamera:MicroVideo']
const TIMES = FLAGS.map((name) => `${name}PresentationTimestampUs`)
const OFFSETS = ['Camera:MicroVideoOffset', 'GCamera:MicroVideoOffset']

type Description = { readonly items: readonly Item[]; readonly stillUs: number | undefined }

/** @returns undefined when the packet does not describe a motion photo */
function describe(packet: string): Description | undefined {
  let description: Description = { items: [], stillUs: undefined }
  for (const { name, attributes } of startTags(packet)) {
    if (name === 'rdf:Description') {
      if (Number(first(attributes, FLAGS)) !== 1) return undefined
      description = readDescription(attributes)
    }
    const { items, stillUs } = description
    if (/^G?Container:Directory$/.test(name)) description = { items: [], stillUs }
    const item = readItem(name, attributes)
    if (item) description = { items: [...items, item], stillUs }
  }
  return description.items.length < 2 ? undefined : description
}

function readDescription(attributes: ReadonlyMap<string, string>): Description {
  const time = Number(first(attributes, TIMES) ?? -1)
  const offset = first(attributes, OFFSETS)
  const video = { mime: 'video/mp4', length: Number(offset), padding: 0 }
  return { items: offset === undefined ? [] : [primary, video], stillUs: time === -1 ? undefined : time }
}

const ITEM_PREFIXES = new Map([
  ['Container:Item', 'Item'],
  ['GContainer:Item', 'GContainerItem'],
])

function readItem(name: string, attributes: ReadonlyMap<string, string>): Item | undefined {
  const prefix = ITEM_PREFIXES.get(name)
  const mime = attributes.get(`${prefix}:Mime`)
  const number = (field: string) => Number(attributes.get(`${prefix}:${field}`) ?? 0)
  return mime === undefined ? undefined : { mime, length: number('Length'), padding: number('Padding') }
}

const primary: Item = { mime: 'image/jpeg', length: 0, padding: 0 }

/** First byte of the first video, counted back from the file's end. Only the primary item's padding counts. */
function placeVideo(items: readonly Item[], size: number): number | undefined {
  let end = size
  let video: number | undefined
  for (const { mime, length } of items.slice(1).reverse()) {
    const start = end - length
    if ((mime === 'video/mp4' || mime === 'video/quicktime') && start !== end) video = start
    end = start
  }
  return video
}

function* startTags(packet: string): Generator<{ name: string; attributes: Map<string, string> }, void> {
  for (const [, name = '', body = ''] of packet.matchAll(
    /<([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g,
  )) {
    const pairs = [...body.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
    yield {
      name,
      attributes: new Map(pairs.map(([, key = '', double, single]) => [key, double ?? single ?? ''])),
    }
  }
}

function first(attributes: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  return names.map((name) => attributes.get(name)).find((value) => value !== undefined)
}
