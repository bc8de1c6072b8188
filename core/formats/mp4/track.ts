import { latin1, viewOf } from '#core/bytes'
import { type Box, onlyBox, readBoxes } from './boxes'
import { readSampleEntry, type SampleEntry } from './sampleEntry'
import { readSampleTable, type SampleTable, total } from './sampleTable'

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
  const children = readBoxes(trak.body)
  const media = children && readChildren(children, 'mdia')
  const information = media && readChildren(media, 'minf')
  const tables = information && readChildren(information, 'stbl')
  if (!children || !media || !tables) return undefined

  const header = readTrackHeader(onlyBox(children, 'tkhd'))
  const kind = readKind(onlyBox(media, 'hdlr'))
  const clock = readClock(onlyBox(media, 'mdhd'))
  const stsd = onlyBox(tables, 'stsd')
  const entry = kind && stsd && readSampleEntry(stsd, kind)
  const samples = readSampleTable(tables, maxSamples)
  if (!header || !kind || !clock || !entry || !samples) return undefined

  const mediaSeconds = total(samples.durations) / clock.timescale
  const edits = readEdits(children, movieTimescale, clock.timescale, mediaSeconds)
  if (!edits) return undefined
  const durationSeconds = edits.length > 0 ? editedSeconds(edits) : mediaSeconds
  return { ...entry, ...header, kind, timescale: clock.timescale, durationSeconds, edits, samples }
}

/**
 * Timescale and duration (in its ticks) of an `mvhd` or `mdhd` box, which begin alike.
 * An unknown duration (all ones) is 0.
 * @returns undefined when it is cut or the timescale is 0
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

function readChildren(boxes: readonly Box[], type: string): Box[] | undefined {
  const box = onlyBox(boxes, type)
  return box && readBoxes(box.body)
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

/** @see ISO/IEC 14496-12, 8.6.6 */
function readEdits(
  trackBoxes: readonly Box[],
  movieTimescale: number,
  timescale: number,
  mediaSeconds: number,
): Edit[] | undefined {
  if (!trackBoxes.some((box) => box.type === 'edts')) return []
  const elst = readChildren(trackBoxes, 'edts')?.find((box) => box.type === 'elst')
  if (!elst || elst.body.length < 8) return elst ? undefined : []
  const view = viewOf(elst.body)
  const isLong = elst.body[0] === 1
  const rowSize = isLong ? 20 : 12
  const count = view.getUint32(4)
  if (8 + count * rowSize > elst.body.length) return undefined

  return Array.from({ length: count }, (_, row) => {
    const at = 8 + row * rowSize
    const ticks = isLong ? Number(view.getBigUint64(at)) : view.getUint32(at)
    const start = isLong ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4)
    const mediaTime = start < 0 ? undefined : start
    // A duration of 0 means "the rest of the media".
    const rest = mediaTime === undefined ? 0 : Math.max(0, mediaSeconds - mediaTime / timescale)
    const rate = view.getInt32(at + rowSize - 4) / 0x10000
    return { durationSeconds: ticks === 0 ? rest : ticks / movieTimescale, mediaTime, rate }
  })
}

/** One row of the edit list: which part of the track's samples is presented next. */
export type Edit = {
  readonly durationSeconds: number
  /** First composition time that is presented, in the track's timescale; undefined for an empty stretch. */
  readonly mediaTime: number | undefined
  /** 1 plays at the usual speed, 0 holds one picture. */
  readonly rate: number
}

/** Seconds that an edit list presents, its empty stretches included. */
export function editedSeconds(edits: readonly Pick<Edit, 'durationSeconds'>[]): number {
  return edits.reduce((sum, edit) => sum + edit.durationSeconds, 0)
}

/**
 * Where a track begins to be presented: the seconds of the empty edits before its first samples (0 when it has no others),
 * and the composition time of these samples in the track's timescale.
 */
export function presentationStart(edits: readonly Pick<Edit, 'durationSeconds' | 'mediaTime'>[]): {
  readonly emptySeconds: number
  readonly mediaTime: number
} {
  const shown = edits.findIndex(({ mediaTime }) => mediaTime !== undefined)
  return {
    emptySeconds: editedSeconds(edits.slice(0, Math.max(0, shown))),
    mediaTime: edits[shown]?.mediaTime ?? 0,
  }
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
