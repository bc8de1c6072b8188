import { viewOf } from '@lantern-room/base/bytes'
import { numberAt, type Reading, type Sized, take } from '@lantern-room/mp4/source'

const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const TRACK_NUMBER = 0xd7
const TRACK_TYPE = 0x83
const CLUSTER = 0x1f43b675
const GROUP = 0xa0
/** Of groups, and those without one. */
const BLOCKS: readonly number[] = [0xa1, 0xa3]

const ENTERED: readonly number[] = [SEGMENT, TRACKS, TRACK, CLUSTER, GROUP]
const VIDEO = 1
/** The longest identifier and the longest length. */
const HEAD_BYTES = 12
const MAX_ELEMENTS = 10_000

/** Whether the first block of a video track is whole. @see RFC 9559 */
export function* matroskaPicture(file: Sized): Reading<boolean> {
  const tracks = createTracks()
  let at = 0
  for (let element = 0; element < MAX_ELEMENTS && at < file.size; element++) {
    const head = yield* take(file, at, at + HEAD_BYTES)
    const found = elementHead(head)
    // Players look for the next cluster behind damage.
    if (!found) return tracks.haveVideo() && head.length === HEAD_BYTES
    const { id, size, bytes } = found
    const value = head[bytes] ?? 0
    const body = at + bytes
    if (BLOCKS.includes(id) && tracks.isPicture(value & 0x7f)) return body + size <= file.size
    tracks.note(id, value)
    at = ENTERED.includes(id) ? body : body + size
  }
  return at < file.size
}

/** Which tracks have pictures, as the elements say that stand before the blocks. */
function createTracks() {
  const videos = new Set<number>()
  let number = 0
  return {
    note(id: number, value: number): void {
      if (id === TRACK_NUMBER) number = value
      if (id === TRACK_TYPE && value === VIDEO) videos.add(number)
    },
    haveVideo: () => videos.size > 0,
    isPicture: (track: number) => videos.size === 0 || videos.has(track),
  }
}

/** @returns undefined for what is no element. A length that is unknown is endless */
function elementHead(head: Uint8Array) {
  const idBytes = lengthOf(head[0])
  const sizeBytes = lengthOf(head[idBytes])
  if (idBytes === 0 || idBytes > 4 || sizeBytes === 0 || head.length < idBytes + sizeBytes) return undefined
  let id = 0
  for (let i = 0; i < idBytes; i++) id = id * 256 + numberAt(head, i)
  const view = viewOf(head.subarray(idBytes))
  let size = view.getUint8(0) & (0xff >> sizeBytes)
  let isUnknown = size === 0xff >> sizeBytes
  for (let i = 1; i < sizeBytes; i++) {
    size = size * 256 + view.getUint8(i)
    isUnknown &&= view.getUint8(i) === 0xff
  }
  return { id, size: isUnknown ? Number.POSITIVE_INFINITY : size, bytes: idBytes + sizeBytes }
}

/** How many bytes a number has, by the zeros before its first bit; 0 when they are too many. */
function lengthOf(first = 0): number {
  return first === 0 ? 0 : Math.clz32(first) - 23
}
