import { latin1, viewOf } from '@lantern-room/base/bytes'
import { type Box, childrenOf, onlyBox, readBoxes } from './boxes'
import { type Edit, editedSeconds, readEdits } from './edits'
import { readSampleEntry, type SampleEntry } from './sampleEntry'
import { compositionEnd, readSampleTable, type SampleTable, total } from './sampleTable'

export type TrackKind = 'video' | 'audio' | 'other'

export type Track = SampleEntry & {
  readonly id: number
  readonly kind: TrackKind
  /** Ticks per second of the durations in `samples`. */
  readonly timescale: number
  /** Duration of what is presented: the sum of the edit list, or of all samples without one. */
  readonly durationSeconds: number
  readonly edits: readonly Edit[]
  readonly display: Display
  readonly samples: SampleTable
}

/** How the pictures of a track are shown, from the track header. */
export type Display = {
  /** Nine numbers, 36 bytes: rotation, mirroring, translation. */
  readonly matrix: Uint8Array
  /** Pixels, before the matrix is applied; fractions are possible. */
  readonly width: number
  readonly height: number
}

/**
 * Reads a `trak` box.
 * @param movieTimescale ticks per second of the edit list's durations
 * @returns undefined when a part is missing or broken
 */
export function readTrack(trak: Box, movieTimescale: number, maxSamples: number): Track | undefined {
  const children = readBoxes(trak.body) ?? []
  const media = childrenOf(children, 'mdia')
  const tables = ['minf', 'stbl'].reduce(childrenOf, media)

  const header = readTrackHeader(onlyBox(children, 'tkhd'))
  const kind = readKind(onlyBox(media, 'hdlr'))
  const clock = readClock(onlyBox(media, 'mdhd'))
  const stsd = onlyBox(tables, 'stsd')
  const entry = kind && stsd && readSampleEntry(stsd, kind)
  const samples = readSampleTable(tables, maxSamples)
  if (!header || !kind || !clock || !entry || !samples) return undefined

  const mediaSeconds = total(samples.durations) / clock.timescale
  const endSeconds = compositionEnd(samples) / clock.timescale
  const edits = readEdits(children, movieTimescale, clock.timescale, endSeconds)
  if (!edits) return undefined
  const durationSeconds = edits.length > 0 ? editedSeconds(edits) : mediaSeconds
  return { ...entry, ...header, kind, timescale: clock.timescale, durationSeconds, edits, samples }
}

/**
 * Timescale and duration (in its ticks) of an `mvhd` or `mdhd` box, which begin alike.
 * An unknown duration (all ones) is 0.
 * @returns undefined when it is cut or the timescale is 0
 * @example
 * const clock = readClock(onlyBox(childrenOf(boxes, 'moov'), 'mvhd'))
 */
export function readClock(box: Box | undefined): { timescale: number; duration: number } | undefined {
  if (!box) return undefined
  const view = viewOf(box.body)
  const isLong = box.body[0] === 1
  if (box.body.length < (isLong ? 32 : 20)) return undefined
  const timescale = view.getUint32(isLong ? 20 : 12)
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16)
  const isUnknown = isLong ? !Number.isSafeInteger(duration) : duration === 0xffffffff
  return timescale === 0 ? undefined : { timescale, duration: isUnknown ? 0 : duration }
}

/** @see ISO/IEC 14496-12, 8.3.2 */
function readTrackHeader(tkhd: Box | undefined): { id: number; display: Display } | undefined {
  if (!tkhd) return undefined
  const { body } = tkhd
  const isLong = body[0] === 1
  const matrixAt = isLong ? 52 : 40
  if (body.length < matrixAt + 44) return undefined
  const view = viewOf(body)
  return {
    id: view.getUint32(isLong ? 20 : 12),
    display: {
      matrix: body.subarray(matrixAt, matrixAt + 36),
      width: view.getUint32(matrixAt + 36) / 0x10000,
      height: view.getUint32(matrixAt + 40) / 0x10000,
    },
  }
}

function readKind(hdlr: Box | undefined): TrackKind | undefined {
  if (!hdlr || hdlr.body.length < 12) return undefined
  const handler = latin1(hdlr.body, 8, 12)
  if (handler === 'vide') return 'video'
  return handler === 'soun' ? 'audio' : 'other'
}

/**
 * How a track is shown with a rotation after its own.
 * @param degrees clockwise: 0, 90, 180, 270
 * @see ISO/IEC 14496-12, 6.2.2: a point (p, q) is shown at (ap + cq + x, bp + dq + y)
 */
export function turnDisplay(display: Display, degrees: number): Display {
  let turned = display
  for (let done = 0; done < degrees; done += 90) turned = turnOnce(turned)
  return turned
}

/** A point (x, y) of a picture that is shown `height` high comes to (height − y, x). */
function turnOnce({ matrix, width, height }: Display): Display {
  const old = viewOf(matrix)
  const at = (index: number) => old.getInt32(index * 4)
  const [a, b, c, d, x, y] = [at(0), at(1), at(3), at(4), at(6), at(7)]
  const shownHeight = Math.abs(b) > Math.abs(a) ? width : height
  const turned = matrix.slice()
  const view = viewOf(turned)
  const values = [-b, a, undefined, -d, c, undefined, Math.round(shownHeight * 0x10000) - y, x]
  values.forEach((value, index) => {
    if (value !== undefined) view.setInt32(index * 4, value)
  })
  return { matrix: turned, width, height }
}
