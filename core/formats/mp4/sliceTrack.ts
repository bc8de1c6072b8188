import type { NewTrack } from './encodeTrack'
import type { Track } from './track'

/** Samples `first` up to `end` (not included) of a track, to be written as a track like it. */
export function sliceTrack(
  track: Track,
  first: number,
  end: number,
  edits: NewTrack['edits'] = [],
): NewTrack {
  const { samples } = track
  const isVideo = track.kind === 'video'
  return {
    kind: isVideo ? 'video' : 'audio',
    sampleEntry: track.sampleEntry,
    timescale: track.timescale,
    sizes: samples.sizes.slice(first, end),
    durations: samples.durations.slice(first, end),
    compositionOffsets: samples.compositionOffsets?.slice(first, end),
    sync: isVideo ? samples.sync.slice(first, end) : undefined,
    edits,
    display: isVideo ? track.display : undefined,
  }
}
