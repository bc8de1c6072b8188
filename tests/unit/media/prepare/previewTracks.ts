import { encodeBox } from '#core/formats/mp4/boxes'
import type { NewTrack } from '#core/formats/mp4/encodeTrack'
import { UNITY_MATRIX } from '#core/formats/mp4/encodeTrack'
import { GROUP_FRAMES } from '#core/media/ffmpeg/encodeArgs'

/** A track as previews have it, except for what is given. */
export function previewTrack(
  samples: readonly Uint8Array[],
  { pps = 8, timescale = 15_360, groupFrames = GROUP_FRAMES } = {},
): NewTrack {
  const avcC = encodeBox('avcC', Uint8Array.of(1, 66, 192, 31, 255, 225, 0, 2, 103, 66, 1, 0, 2, 104, pps))
  // The bit rate differs from part to part.
  const rate = encodeBox('btrt', Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, samples.length))
  return {
    kind: 'video',
    sampleEntry: encodeBox('avc1', new Uint8Array(78), avcC, rate),
    timescale,
    sizes: Uint32Array.from(samples, ({ length }) => length),
    durations: new Uint32Array(samples.length).fill(timescale / 30),
    compositionOffsets: undefined,
    sync: Uint8Array.from(samples, (_, frame) => Number(frame % groupFrames === 0)),
    edits: [],
    display: { matrix: UNITY_MATRIX, width: 64, height: 48 },
  }
}
