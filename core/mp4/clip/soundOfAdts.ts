import { AAC_FRAME, encodeAacEntry, readAdtsFrames } from '../movie/aac'
import type { FilledTrack } from '../movie/writeMovie'

/**
 * The sound of a clip from what an encoder of AAC-LC has written. Its first frame, which holds what its filters need before the sound, is
 * left out by an edit.
 * @param adts the stream
 * @param sound.rate samples of sound in a second: one of those that MPEG-4 numbers
 * @param sound.channels 1 or 2
 * @param sound.seconds how long it is heard
 * @returns undefined when the stream is damaged, or shorter
 * @throws RangeError for another rate
 * @example
 * const sound = soundOfAdts(stdout, { rate: 48_000, channels: 2, seconds: 3 })
 */
export function soundOfAdts(
  adts: Uint8Array,
  { rate, channels, seconds }: Readonly<Record<'rate' | 'channels' | 'seconds', number>>,
): FilledTrack | undefined {
  const frames = readAdtsFrames(adts)
  if (!frames || frames.length * AAC_FRAME < seconds * rate) return undefined
  return {
    samples: frames,
    track: {
      kind: 'audio',
      sampleEntry: encodeAacEntry(rate, channels),
      timescale: rate,
      sizes: Uint32Array.from(frames, ({ length }) => length),
      durations: new Uint32Array(frames.length).fill(AAC_FRAME),
      compositionOffsets: undefined,
      sync: undefined,
      edits: [{ durationSeconds: seconds, mediaTime: AAC_FRAME }],
      display: undefined,
    },
  }
}
