import { ServiceError } from '@lantern-room/base'
import type { Size } from '@lantern-room/formats'
import { readCapture } from '../capture/readCapture'
import { MAX_PIXELS, untrustedInput } from '../ffmpeg/ffmpegInput'
import { join } from '../ffmpeg/hdr'
import { chooseSound, inputStreams } from '../ffmpeg/inputStreams'
import { fromKeyFrame, openedSound } from '../ffmpeg/unindexed'
import { FPS } from '../frames'
import { type NamedDecoder, type OriginalTraits, PRIMARIES, type Recording, type Unindexed } from '../traits'

/** The properties of an upload's first picture and its sound, as ffmpeg reports them. */
export type Probe = Omit<OriginalTraits, 'kind' | 'firstFrame' | 'size'> & {
  /** Where reading started, and can start again to see the wanted picture; 0 for the beginning. */
  readonly seekSeconds: number
  /** Where the decoded picture starts, in frames of a preview of the whole upload. */
  readonly pictureFrame: number
  /** Pixels as shown: upright (ffmpeg has applied rotation and mirroring), the width stretched by the sample aspect ratio. */
  readonly shown: Size
  /** The decoder to name when the pictures are read. */
  readonly namedDecoder: NamedDecoder | undefined
  /** Whether ffmpeg lets the times go on where the clock of such a file jumps. */
  readonly mayJump: boolean
  readonly audio: ProbedAudio | undefined
  /** Seconds, when the container says. */
  readonly durationSeconds: number | undefined
  readonly capture: Recording
}

export type ProbedAudio = {
  /** Which of the file's sounds it is: ffmpeg's `a:0`. */
  readonly stream: number
  /** As the container numbers it: the track of an MP4. */
  readonly id: number | undefined
  readonly channels: number
  readonly isPlainAac: boolean
}

/** How the picture of a probe was decoded. */
export type ProbeReading = Pick<Probe, 'stream' | 'decoder' | 'seekSeconds' | 'unindexed'>

/** Decodes one picture, from the key frame before the given time on, and discards it. This is cheap, and finds files that cannot be decoded before any other work. */
export function probeArgs(path: string, { stream, decoder, seekSeconds, unindexed }: ProbeReading): string[] {
  return [
    ...untrustedInput(path, { threads: 1, decoder, seekSeconds, fromKeyFrame: seekSeconds > 0 }),
    ...['-map', `0:V:${stream}`, '-frames:v', '1', '-vf', join(fromKeyFrame({ unindexed }), 'showinfo')],
    ...['-f', 'null', '-', ...openedSound({ unindexed })],
  ]
}

/** What ffmpeg says of its inputs. */
export function inputsOf(stderr: string): string {
  return stderr.split(/^Stream mapping:/m)[0] ?? ''
}

/**
 * @param stream which of the video streams was decoded
 * @throws ServiceError when no picture was decoded; `explainRefusal` has a better explanation
 */
export function parseProbe(
  stderr: string,
  stream = 0,
): Omit<Probe, Exclude<keyof ProbeReading, 'unindexed'>> {
  const inputs = inputsOf(stderr)
  const picture = /^\[Parsed_showinfo_\d .*\] n: {0,4}0 .*$/m.exec(stderr)?.[0]
  const size = /\bs:(\d{1,6})x(\d{1,6})\b/.exec(picture ?? '')
  if (!picture || !size)
    throw new ServiceError('invalid-request', 'The file has no picture that can be read.')
  const coded = { width: Number(size[1]), height: Number(size[2]) }
  const shown = shownSize(coded, picture)
  const pixelFormat = /\bfmt:(\w+)/.exec(picture)?.[1] ?? 'unknown'
  const colour = /^\[Parsed_showinfo_\d .* color_space:(\S+) color_primaries:(\S+) color_trc:(\S+)/m.exec(
    stderr,
  )
  const transfer = colour?.[3]
  const time = Number(/\bpts_time: *(\S+)/.exec(picture)?.[1])
  const audio = parseAudio(inputs)
  return {
    shown,
    unindexed: unindexedOf(inputs, audio, time * FPS),
    pictureFrame: Number.isFinite(time) ? Math.round(time * FPS) : 0,
    hasAlpha: /^(rgba|bgra|argb|abgr|yuva|ayuv|vuya|gbrap|ya\d|pal8)/.test(pixelFormat),
    isInterlaced: /\bi:[TB]\b/.test(picture),
    matrix: matrixOf(colour?.[1], shown),
    primaries: PRIMARIES.find((name) => name === colour?.[2]) ?? 'bt709',
    hdrTransfer: transfer === 'smpte2084' || transfer === 'arib-std-b67' ? transfer : undefined,
    streamId: inputStreams(inputs, 'Video')[stream]?.id,
    namedDecoder: namedDecoderOf(inputs),
    // In a program stream not every picture has a timestamp; after a seek, ffmpeg guesses the missing ones wrong.
    isSeekable: !/^Input #0, mpeg,/m.test(inputs),
    mayJump: COUNTED_FROM_READ_STREAMS.test(inputs),
    audio,
    startsAtZero: /^ {2}Duration: [^,]*, start: 0\.000000\b/m.test(inputs),
    durationSeconds: parseDuration(inputs),
    capture: readCapture(inputs),
  }
}

/** Formats whose times ffmpeg counts from the first packet of the streams that it reads (`AVFMT_TS_DISCONT`). */
const COUNTED_FROM_READ_STREAMS = /^Input #0, (?:mpegts|mpeg|ogg),/m

/** @param begin when the picture is shown, in frames */
function unindexedOf(inputs: string, audio: ProbedAudio | undefined, begin: number): Unindexed | undefined {
  if (!/^Input #0, (?:mpegts|mpeg|ogg|flv|asf|avi|matroska)\b/m.test(inputs)) return undefined
  return {
    sound: COUNTED_FROM_READ_STREAMS.test(inputs) ? audio?.stream : undefined,
    // Encoders begin sound with a packet of silence, before the first picture. It would delay every picture by a frame.
    roundsDown: begin >= 0.5 && begin < 0.9,
    startsGrey: /^ {2}Stream #0:\d+.*?: Video: hevc\b/m.test(inputs),
  }
}

function shownSize({ width, height }: Size, picture: string): Size {
  const aspect = /\bsar:(\d{1,6})\/(\d{1,6})\b/.exec(picture)
  const ratio = Number(aspect?.[1] ?? 1) / Number(aspect?.[2] ?? 1)
  const shown = { width: Math.max(1, Math.round(width * ratio)), height }
  // Files with an absurd aspect ratio exist; such a value is ignored.
  const isSane = ratio >= 0.1 && ratio <= 10 && shown.width * shown.height <= MAX_PIXELS
  return isSane ? shown : { width, height }
}

/** Untagged pictures are read as players read them: high definition as BT.709, the rest as BT.601. */
function matrixOf(tag: string | undefined, shown: Size): Probe['matrix'] {
  if (tag === 'bt709') return 'bt709'
  if (tag === 'bt2020nc' || tag === 'bt2020c') return 'bt2020'
  if (tag === 'smpte170m' || tag === 'bt470bg' || tag === 'fcc') return 'bt601'
  return Math.min(shown.width, shown.height) >= 720 ? 'bt709' : 'bt601'
}

/** WebM stores transparency as a second picture, which its metadata announces. */
function namedDecoderOf(inputs: string): NamedDecoder | undefined {
  const codec = /^ {2}Stream #0:\d+.*?: Video: (vp[89]|theora)\b/m.exec(inputs)?.[1]
  if (codec === 'theora') return codec
  if (!codec || !/^ {6,8}alpha_mode {6}: 1$/im.test(inputs)) return undefined
  return codec === 'vp8' ? 'libvpx' : 'libvpx-vp9'
}

const CHANNELS: Readonly<Record<string, number>> = { mono: 1, stereo: 2 }

function parseAudio(inputs: string): ProbedAudio | undefined {
  const sound = chooseSound(inputs)
  if (!sound) return undefined
  const { stream, id, words } = sound
  const [codec = '', rate = '', layout = ''] = words.split(', ')
  const channels = CHANNELS[layout.trim()] ?? Number(/^(\d+) channels/.exec(layout)?.[1] ?? 6)
  const isPlainAac = /^aac \(LC\)/.test(codec) && Number.parseInt(rate, 10) <= 48_000
  return { stream, id, channels, isPlainAac }
}

function parseDuration(inputs: string): number | undefined {
  const match = /^ {2}Duration: (\d+):(\d\d):(\d\d\.\d+)/m.exec(inputs)
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]) : undefined
}
