import { joinMovie } from '#core/formats/mp4/writeMovie'
import { previewTrack } from '../prepare/previewTracks'

/** An MP4 with groups of 15 frames, each one unit of one byte: the frame's number. It cannot be decoded. */
export function tinyPreview(frames: number): Uint8Array {
  const samples = Array.from({ length: frames }, (_, frame) => Uint8Array.of(0, 0, 0, 1, frame))
  return joinMovie([{ track: previewTrack(samples), samples }])
}
