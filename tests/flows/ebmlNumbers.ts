import { concatBytes } from '@lantern-room/base/bytes'
import { uint32s } from '@lantern-room/mp4/boxes'

/** A number of a Matroska file: where it stands, big-endian. */
export type EbmlNumber = { readonly name: string; readonly at: number; readonly width: number }

/** Elements that hold others. */
const PARENTS = new Set([
  0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0xe1, 0x1f43b675, 0xa0, 0x1c53bb6b, 0xbb, 0xb7,
])

const NUMBERS: Readonly<Record<number, string>> = {
  2807729: 'TimestampScale',
  17545: 'Duration',
  231: 'Timestamp of a cluster',
  155: 'BlockDuration',
  2352003: 'DefaultDuration',
  176: 'PixelWidth',
  186: 'PixelHeight',
  181: 'SamplingFrequency',
  159: 'Channels',
  22186: 'CodecDelay',
  22203: 'SeekPreRoll',
  179: 'CueTime',
  241: 'CueClusterPosition',
  30114: 'DiscardPadding',
}

/** The numbers of a Matroska file: of each kind the first and the last, and the first time of a block. @see RFC 8794; RFC 9559 */
export function ebmlNumbers(bytes: Uint8Array): EbmlNumber[] {
  const found: EbmlNumber[] = []
  walk(bytes, 0, bytes.length, found)
  const named = [...new Set(found.map(({ name }) => name))].map((name) =>
    found.filter((one) => one.name === name),
  )
  return named.flatMap((all) => [...new Set([all[0], all.at(-1)])].filter((one) => one !== undefined))
}

function walk(bytes: Uint8Array, start: number, end: number, found: EbmlNumber[]): void {
  for (let at = start; at < end; ) {
    const id = readVint(bytes, at, false)
    const size = readVint(bytes, at + id.width, true)
    const content = at + id.width + size.width
    const isOpen = size.value >= 2 ** (7 * size.width) - 1
    const next = isOpen ? end : content + size.value
    const name = NUMBERS[id.value]
    if (name !== undefined) found.push({ name, at: content, width: size.value })
    if (id.value === 0xa3) found.push({ name: 'time of a block', at: content + 1, width: 2 })
    found.push({ name: `size of ${id.value.toString(16)}`, at: at + id.width, width: size.width })
    if (PARENTS.has(id.value)) walk(bytes, content, Math.min(next, end), found)
    at = next
  }
}

function readVint(bytes: Uint8Array, at: number, isSize: boolean) {
  const first = bytes[at] ?? 0
  const width = Math.clz32(first) - 23
  let value = isSize ? first & (0xff >> width) : first
  for (let index = 1; index < width; index++) value = value * 256 + (bytes[at + index] ?? 0)
  return { value, width }
}

const [TRACKS, TRACK] = [0x1654ae6b, 0xae]

/**
 * A Matroska file whose sound has these bytes taken off the beginning of each of its packets: they are put there again when it is read.
 * @param bytes written as a stream, so that nothing in them says where something lies
 */
export function withStrippedSound(bytes: Uint8Array, stripped: Uint8Array): Uint8Array {
  const tracks = find(bytes, TRACKS)
  const changed: Uint8Array[] = []
  for (let at = tracks.content; at < tracks.end; ) {
    const { content, end, id } = elementAt(bytes, at)
    const isSound = id === TRACK && Buffer.from(bytes.subarray(content, end)).includes('A_AAC')
    const encodings = element(
      0x6d80,
      element(0x6240, element(0x5034, element(0x4254, Uint8Array.of(3)), element(0x4255, stripped))),
    )
    changed.push(isSound ? element(id, bytes.subarray(content, end), encodings) : bytes.subarray(at, end))
    at = end
  }
  return concatBytes([bytes.subarray(0, tracks.at), element(TRACKS, ...changed), bytes.subarray(tracks.end)])
}

function find(bytes: Uint8Array, wanted: number) {
  for (let at = 0; at < bytes.length; ) {
    const one = elementAt(bytes, at)
    if (one.id === wanted) return one
    at = one.end > bytes.length || one.isOpen ? one.content : one.end
  }
  throw new Error('There is no such element.')
}

function elementAt(bytes: Uint8Array, at: number) {
  const id = readVint(bytes, at, false)
  const size = readVint(bytes, at + id.width, true)
  const content = at + id.width + size.width
  const isOpen = size.value >= 2 ** (7 * size.width) - 1
  return { at, id: id.value, content, end: content + size.value, isOpen }
}

/** With a size of four bytes. */
function element(id: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(content)
  const head = [id >>> 24, id >>> 16, id >>> 8, id]
    .map((byte) => byte & 0xff)
    .filter((byte, index) => byte > 0 || index === 3)
  return concatBytes([Uint8Array.from(head), uint32s(0x10000000 | body.length), body])
}
