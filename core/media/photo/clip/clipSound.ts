import { ServiceError } from '@lantern-room/base'
import { type FilledTrack, joinMovie, type Track } from '@lantern-room/mp4'
import { channelsOf, copySound, cutBoundedSound, type SoundCut, soundOfAdts } from '@lantern-room/mp4/clip'
import type { ByteSource } from '@lantern-room/mp4/source'
import { clipAudio, SOUND_RATE } from '#media/ffmpeg/encodeArgs'
import { OWN_PIPE } from '#media/ffmpeg/ffmpegInput'
import { type FfmpegRun, runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { tempoFilters, tempoLeadSeconds } from '#media/ffmpeg/tempo'
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
  const cut = cutBoundedSound(audio, start - before, start + seconds * speed + after, size)
  if (!cut) throw damagedSound()
  return cut
}

function damagedSound(): ServiceError {
  return new ServiceError(
    'unprocessable',
    (nameOf) => `The sound of the video is damaged. Leave it out with ${nameOf('mute=true')}.`,
  )
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
  const channels = channelsOf(cut)
  const args = [
    // The first sample may be heard late; ffmpeg would move it to 0.
    ...['-copyts', ...OWN_PIPE, '-map', '0:a:0', '-af', tempoFilters(speed, seconds)],
    ...[...clipAudio(channels), '-f', 'adts', 'pipe:1'],
  ]
  const { stdout } = await runFfmpeg(run, args, joinMovie([copySound(cut, samples)]), damagedSound)
  const sound = soundOfAdts(stdout, { rate: SOUND_RATE, channels, seconds })
  if (!sound) throw damagedSound()
  return sound
}
