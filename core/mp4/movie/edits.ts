import { viewOf } from '@lantern-room/base/bytes'
import { type Box, childrenOf } from './boxes'
import { type SampleTable, total } from './sampleTable'

/** One row of the edit list: which part of the track's samples is presented next. */
export type Edit = {
  readonly durationSeconds: number
  /** First composition time that is presented, in the track's timescale; undefined for an empty stretch. */
  readonly mediaTime: number | undefined
  /** 1 plays at the usual speed, 0 holds one picture. */
  readonly rate: number
}

/** Editors write a few; a hostile file has millions. */
const MAX_EDITS = 1000

/** The clock of edits is coarser than that of samples. */
const ROUNDING_SECONDS = 0.1

/**
 * Reads the edit list among the boxes of a track; none is an empty one.
 * @param movieTimescale ticks per second of its durations
 * @param endSeconds where the samples end, in composition time
 * @returns undefined when it is broken, or longer than any editor's
 * @see ISO/IEC 14496-12, 8.6.6
 */
export function readEdits(
  trackBoxes: readonly Box[],
  movieTimescale: number,
  timescale: number,
  endSeconds: number,
): Edit[] | undefined {
  const elst = childrenOf(trackBoxes, 'edts').find((box) => box.type === 'elst')
  if (!elst) return []
  if (elst.body.length < 8) return undefined
  const view = viewOf(elst.body)
  const isLong = elst.body[0] === 1
  const rowSize = isLong ? 20 : 12
  const count = view.getUint32(4)
  if (count > MAX_EDITS || 8 + count * rowSize > elst.body.length) return undefined

  return Array.from({ length: count }, (_, row) => {
    const at = 8 + row * rowSize
    const [ticks, start] = isLong
      ? [Number(view.getBigUint64(at)), Number(view.getBigInt64(at + 8))]
      : [view.getUint32(at), view.getInt32(at + 4)]
    const mediaTime = start < 0 ? undefined : start
    // A duration of 0 means "the rest of the media", and a longer one cannot be.
    const rest = mediaTime === undefined ? 0 : Math.max(0, endSeconds - mediaTime / timescale)
    const rate = view.getInt32(at + rowSize - 4) / 0x10000
    const seconds = ticks / movieTimescale
    const isTooLong = mediaTime !== undefined && seconds > rest + ROUNDING_SECONDS
    return { durationSeconds: ticks === 0 || isTooLong ? rest : seconds, mediaTime, rate }
  })
}

/** Seconds that an edit list presents, its empty stretches included. */
export function editedSeconds(edits: readonly Pick<Edit, 'durationSeconds'>[]): number {
  return edits.reduce((sum, edit) => sum + edit.durationSeconds, 0)
}

/** Whether there is one edit at the usual rate, perhaps after an empty one, or none. */
export function hasPlainEdits({ edits }: { readonly edits: readonly Edit[] }): boolean {
  const [first, second, third] = edits
  const media = first?.mediaTime === undefined ? second : first
  if (edits.length === 0) return true
  return media?.mediaTime !== undefined && media.rate === 1 && !(media === first ? second : third)
}

/** Packets that encoders of sound add at the beginning and the end. */
const PADDING_PACKETS = 4

/** Whether one edit at the usual rate, perhaps after empty ones, presents the whole of a sound track. */
export function isHeardWhole(
  edits: readonly Edit[],
  { durations }: Pick<SampleTable, 'durations'>,
  timescale: number,
): boolean {
  const { mediaTime, rate, durationSeconds } = edits.at(-1) ?? {
    mediaTime: 0,
    rate: 1,
    durationSeconds: Infinity,
  }
  if (mediaTime === undefined || rate !== 1) return false
  const padding = PADDING_PACKETS * (durations[0] ?? 0)
  const isCut = mediaTime > padding || mediaTime + durationSeconds * timescale < total(durations) - padding
  return !isCut && edits.slice(0, -1).every((edit) => edit.mediaTime === undefined)
}

/**
 * Where a track begins to be presented: the seconds of the empty edits before its first samples (0 when it has no others),
 * and the composition time of these samples in the track's timescale.
 * @example
 * const { emptySeconds } = presentationStart(track.edits)
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
