import { concatBytes } from '@lantern-room/base/bytes'
import { encodeAacEntry, type FilledTrack, joinMovie, UNITY_MATRIX } from '@lantern-room/mp4'
import { encodeBox } from '@lantern-room/mp4/boxes'

/** Constrained baseline, level 3.1, 640 × 360. */
export const SPS = Uint8Array.from(Buffer.from('6742c01fd900a02ff970110000030001000003003c0f183248', 'hex'))
export const PPS = Uint8Array.of(0x68, 0xce, 0x3c, 0x80)

/** What a sample entry says of them. */
export const avcC = concatBytes([
  Uint8Array.of(1, 66, 0xc0, 31, 0xff, 0xe1, 0, SPS.length),
  SPS,
  Uint8Array.of(1, 0, PPS.length),
  PPS,
])

export type PreviewMp4Options = {
  readonly frames?: number
  readonly width?: number
  readonly height?: number
  /** Seconds of sound, from 0; none by default. */
  readonly soundSeconds?: number
}

/** An MP4 as previews are, a key frame every 15, whose samples are no pictures: sample `n` of a track is filled with `n`. */
export function previewMp4({
  frames = 90,
  width = 640,
  height = 360,
  soundSeconds = 0,
}: PreviewMp4Options = {}): Uint8Array {
  const size = Uint8Array.of(width >> 8, width, height >> 8, height)
  const pictures: FilledTrack = {
    samples: Array.from({ length: frames }, (_, frame) => new Uint8Array(20).fill(frame)),
    track: {
      kind: 'video',
      sampleEntry: encodeBox('avc1', new Uint8Array(24), size, new Uint8Array(50), encodeBox('avcC', avcC)),
      timescale: 15_360,
      sizes: new Uint32Array(frames).fill(20),
      durations: new Uint32Array(frames).fill(512),
      compositionOffsets: undefined,
      sync: Uint8Array.from({ length: frames }, (_, frame) => Number(frame % 15 === 0)),
      edits: [{ durationSeconds: frames / 30, mediaTime: 0 }],
      display: { matrix: UNITY_MATRIX, width, height },
    },
  }
  const soundFrames = Math.ceil((soundSeconds * 48_000) / 1024) + 1
  const sound: FilledTrack = {
    samples: Array.from({ length: soundFrames }, (_, frame) => new Uint8Array(10).fill(frame)),
    track: {
      kind: 'audio',
      sampleEntry: encodeAacEntry(48_000, 2),
      timescale: 48_000,
      sizes: new Uint32Array(soundFrames).fill(10),
      durations: new Uint32Array(soundFrames).fill(1024),
      compositionOffsets: undefined,
      sync: undefined,
      edits: [{ durationSeconds: soundSeconds, mediaTime: 1024 }],
      display: undefined,
    },
  }
  return joinMovie(soundSeconds > 0 ? [pictures, sound] : [pictures])
}
