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
