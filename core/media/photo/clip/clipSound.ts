import { ServiceError } from '@lantern-room/base'
import type { ByteSource } from '@lantern-room/formats'
import type { Track } from '@lantern-room/formats/parts'
import {
  AAC_FRAME,
  copySound,
  cutSound,
  encodeAacEntry,
  type FilledTrack,
  isBounded,
  joinMovie,
  readAacChannels,
  readAdtsFrames,
  readSamples,
  type SoundCut,
} from '@lantern-room/formats/parts'
import { clipAudio, SOUND_RATE } from '#media/ffmpeg/encodeArgs'
import { OWN_PIPE } from '#media/ffmpeg/ffmpegInput'
import { type FfmpegRun, runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { tempoFilters, tempoLeadSeconds } from '#media/ffmpeg/tempo'
import { refusals } from '#media/formatRefusal'
import { FPS } from '#media/frames'
import type { ClipFrames } from './encodeClipArgs'

/** The tempo filter needs a little of the sound that follows. */
const TAIL_SECONDS = 0.25

/**
 * Which samples of the preview's sound a clip of `seconds` needs. Played faster or slower, it needs some before and after them, too.
 * @throws ServiceError `unprocessable` when they are more than sound can have: a preview's is a copy, perhaps of a damaged one
 */
export function cutClipSound(
  { size }: ByteSource,
  audio: Track,
  { startFrame, speed }: ClipFrames,
  seconds: number,
): SoundCut {
  const [before, after] = speed === 1 ? [0, 0] : [tempoLeadSeconds(speed), TAIL_SECONDS * speed]
  const start = startFrame / FPS
  const cut = cutSound(audio, start - before, start + seconds * speed + after)
  if (isBounded(cut, size)) return cut
  throw damagedSound()
}

function damagedSound(): ServiceError {
  return new ServiceError(
    'unprocessable',
    (nameOf) => `The sound of the video is damaged. Leave it out with ${nameOf('mute=true')}.`,
  )
}

export async function readSound(preview: ByteSource, sound: SoundCut): Promise<readonly Uint8Array[]> {
  const [samples = []] = await refusals(
    readSamples(preview, [{ samples: sound.track.samples, first: sound.first, end: sound.end }]),
  )
  return samples
}

/**
 * The sound of a clip: copied at its own speed; else decoded, changed in tempo, and encoded again, through pipes.
 * @param samples the bytes of the cut's samples
 * @throws ServiceError `unprocessable` when it cannot be decoded, `timeout`
 */
export async function makeSound(
  run: FfmpegRun,
  cut: SoundCut,
  samples: readonly Uint8Array[],
  speed: number,
  seconds: number,
): Promise<FilledTrack> {
  if (speed === 1) return copySound(cut, samples)
  const channels = readAacChannels(cut.track.sampleEntry) === 1 ? 1 : 2
  const args = [
    // The first sample may be heard late; ffmpeg would move it to 0.
    ...['-copyts', ...OWN_PIPE, '-map', '0:a:0', '-af', tempoFilters(speed, seconds)],
    ...[...clipAudio(channels), '-f', 'adts', 'pipe:1'],
  ]
  const { stdout } = await runFfmpeg(run, args, joinMovie([copySound(cut, samples)]), damagedSound)
  const frames = readAdtsFrames(stdout)
  if (!frames || frames.length * AAC_FRAME < seconds * SOUND_RATE) throw damagedSound()
  return {
    samples: frames,
    track: {
      kind: 'audio',
      sampleEntry: encodeAacEntry(SOUND_RATE, channels),
      timescale: SOUND_RATE,
      sizes: Uint32Array.from(frames, ({ length }) => length),
      durations: new Uint32Array(frames.length).fill(AAC_FRAME),
      compositionOffsets: undefined,
      sync: undefined,
      // The encoder's first frame holds what its filters need before the sound.
      edits: [{ durationSeconds: seconds, mediaTime: AAC_FRAME }],
      display: undefined,
    },
  }
}
