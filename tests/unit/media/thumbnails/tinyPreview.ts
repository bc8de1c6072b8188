import { encodeBox } from '#core/formats/mp4/boxes'
import { UNITY_MATRIX } from '#core/formats/mp4/encodeTrack'
import { joinMovie } from '#core/formats/mp4/writeMovie'
import { GROUP_FRAMES } from '#core/media/ffmpeg/encodeArgs'

const TIMESCALE = 15_360
const AVC_CONFIGURATION = Uint8Array.of(1, 66, 192, 31, 255, 225, 0, 2, 103, 66, 1, 0, 2, 104, 8)

/** An MP4 whose frames have one unit of one byte each: the frame's number. It cannot be decoded. */
export function tinyPreview(frames: number): Uint8Array {
  const samples = Array.from({ length: frames }, (_, frame) => Uint8Array.of(0, 0, 0, 1, frame))
  const track = {
    kind: 'video',
    sampleEntry: encodeBox('avc1', new Uint8Array(78), encodeBox('avcC', AVC_CONFIGURATION)),
    timescale: TIMESCALE,
    sizes: Uint32Array.from(samples, ({ length }) => length),
    durations: new Uint32Array(frames).fill(TIMESCALE / 30),
    compositionOffsets: undefined,
    sync: Uint8Array.from(samples, (_, frame) => Number(frame % GROUP_FRAMES === 0)),
    edits: [],
    display: { matrix: UNITY_MATRIX, width: 64, height: 48 },
  } as const
  return joinMovie([{ track, samples }])
}
