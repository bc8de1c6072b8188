import { ServiceError } from '#core/errors'
import { type AlphaDecoder, MAX_PIXELS, untrustedInput } from '../ffmpeg/ffmpegInput'
import type { Size } from './previewSize'

/** What ffmpeg says of an upload's first picture and its sound. */
export type Probe = {
  /** Which of the file's video streams is meant, counted from 0 and without covers: ffmpeg's `V:0`. */
  readonly stream: number
  /** Which of them moves. */
  readonly movingStream: number
  /** Pixels as decoded, upright (ffmpeg has applied rotation and mirroring). */
  readonly coded: Size
  /** Pixels as shown: the width is stretched by the sample aspect ratio. */
  readonly shown: Size
  readonly hasAlpha: boolean
  readonly isInterlaced: boolean
  /** Matrix of the picture's YUV; where the file does not say, as players guess. */
  readonly matrix: 'bt709' | 'bt601' | 'bt2020'
  /** The transfer curve when it is one of the high dynamic range. */
  readonly hdrTransfer: HdrTransfer | undefined
  /** The decoder of the first picture when it is not ffmpeg's own, and one that may see more. */
  readonly decoder: AlphaDecoder | undefined
  readonly alphaDecoder: AlphaDecoder | undefined
  /** Whether it can be entered in its middle and every picture still has its time. */
  readonly isSeekable: boolean
  readonly audio: ProbedAudio | undefined
  /** Seconds, when the container says. */
  readonly durationSeconds: number | undefined
}

/** PQ or HLG, in ffmpeg's words. */
export type HdrTransfer = 'smpte2084' | 'arib-std-b67'

export type ProbedAudio = { readonly channels: number; readonly isPlainAac: boolean }

/** How the picture of a probe was decoded. */
export type Reading = Pick<Probe, 'stream' | 'decoder'>

/** Decodes one picture and drops it: cheap, and what cannot be decoded is found out before any work is done. */
export function probeArgs(path: string, { stream, decoder }: Reading): string[] {
  return [
    ...untrustedInput(path, { threads: 1, decoder }),
    ...['-map', `0:V:${stream}`, '-frames:v', '1', '-vf', 'showinfo', '-f', 'null', '-'],
  ]
}

/** @throws ServiceError when no picture was decoded; `explainRefusal` words it */
export function parseProbe(stderr: string): Omit<Probe, keyof Reading> {
  const [inputs = ''] = stderr.split(/^Stream mapping:/m)
  const picture = /^\[Parsed_showinfo_0 .*\] n: {0,4}0 .*$/m.exec(stderr)?.[0]
  const size = /\bs:(\d{1,6})x(\d{1,6})\b/.exec(picture ?? '')
  if (!picture || !size)
    throw new ServiceError('invalid-request', 'The file has no picture that can be read.')
  const coded = { width: Number(size[1]), height: Number(size[2]) }
  const shown = shownSize(coded, picture)
  const pixelFormat = /\bfmt:(\w+)/.exec(picture)?.[1] ?? 'unknown'
  const colour = /^\[Parsed_showinfo_0 .* color_space:(\S+) color_primaries:\S+ color_trc:(\S+)/m.exec(stderr)
  const transfer = colour?.[2]
  return {
    coded,
    shown,
    hasAlpha: /^(rgba|bgra|argb|abgr|yuva|ayuv|vuya|gbrap|ya\d|pal8)/.test(pixelFormat),
    isInterlaced: /\bi:[TB]\b/.test(picture),
    matrix: matrixOf(colour?.[1], shown),
    hdrTransfer: transfer === 'smpte2084' || transfer === 'arib-std-b67' ? transfer : undefined,
    movingStream: movingStreamOf(inputs),
    alphaDecoder: alphaDecoderOf(inputs),
    // In a program stream not every picture says its time; without those before it, it is guessed wrong.
    isSeekable: !/^Input #0, mpeg,/m.test(inputs),
    audio: parseAudio(inputs),
    durationSeconds: parseDuration(inputs),
  }
}

function shownSize({ width, height }: Size, picture: string): Size {
  const aspect = /\bsar:(\d{1,6})\/(\d{1,6})\b/.exec(picture)
  const ratio = Number(aspect?.[1] ?? 1) / Number(aspect?.[2] ?? 1)
  const shown = { width: Math.max(1, Math.round(width * ratio)), height }
  // Files with an absurd aspect ratio exist; such a value is taken for a mistake.
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

/**
 * From version 7 on ffmpeg shows the still picture of an animated AVIF as a stream of its own, in front of the one that
 * moves. Its clock ticks once a second, as no other one does.
 */
function movingStreamOf(inputs: string): number {
  if (!/^Input #0, mov,/m.test(inputs)) return 0
  const pictures = (inputs.match(/^ {2}Stream #0:\d+.*?: Video: .*$/gm) ?? []).filter(
    (line) => !/\((?:attached pic|timed thumbnails)\)/.test(line),
  )
  return Math.max(
    0,
    pictures.findIndex((line) => !/, 1 tbn\b/.test(line)),
  )
}

/** WebM says in its metadata that a second picture inside holds the transparency. */
function alphaDecoderOf(inputs: string): AlphaDecoder | undefined {
  const codec = /^ {2}Stream #0:\d+.*?: Video: (vp[89])\b/m.exec(inputs)?.[1]
  if (!codec || !/^ {6,8}alpha_mode {6}: 1$/im.test(inputs)) return undefined
  return codec === 'vp8' ? 'libvpx' : 'libvpx-vp9'
}

const CHANNELS: Readonly<Record<string, number>> = { mono: 1, stereo: 2 }

function parseAudio(inputs: string): ProbedAudio | undefined {
  const line = /^ {2}Stream #0:\d+.*?: Audio: (.*)$/m.exec(inputs)?.[1]
  if (line === undefined || line.startsWith('none')) return undefined
  const [codec = '', rate = '', layout = ''] = line.split(', ')
  const channels = CHANNELS[layout.trim()] ?? Number(/^(\d+) channels/.exec(layout)?.[1] ?? 6)
  return { channels, isPlainAac: /^aac \(LC\)/.test(codec) && Number.parseInt(rate, 10) <= 48_000 }
}

function parseDuration(inputs: string): number | undefined {
  const match = /^ {2}Duration: (\d+):(\d\d):(\d\d\.\d+)/m.exec(inputs)
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]) : undefined
}

const UNREADABLE =
  'The file cannot be read as a video: it is damaged, incomplete or of an unknown kind. Try to play it, then send it again.'

/** What ffmpeg says, without what it repeats of the file: titles and comments are shown indented. */
export function ffmpegsOwnWords(stderr: string): string {
  return stderr.replaceAll(/^ {2}.*$/gm, '')
}

/** ffmpeg ends with 0 when the disk fills up while it finishes a file: its words are to be asked, too. */
export function isOutOfSpace({ stderr }: { readonly stderr: string }): boolean {
  return OUT_OF_SPACE.test(ffmpegsOwnWords(stderr))
}

const OUT_OF_SPACE = /No space left on device|Disk quota exceeded/

/** What ffmpeg's own words mean for the client. The words themselves stay in the cause. */
const REFUSALS: readonly (readonly [RegExp, () => ServiceError])[] = [
  [OUT_OF_SPACE, () => new ServiceError('unavailable', 'The service has no space left. Try again later.')],
  [
    /exceeds specified max pixel count|Picture size \d+x\d+ (exceeds|is invalid)|Cannot allocate memory/,
    () =>
      new ServiceError(
        'payload-too-large',
        'The pictures of this file are too large: at most 36 megapixels each can be read.',
      ),
  ],
  [
    /matches no streams/,
    () =>
      new ServiceError(
        'unsupported-media',
        'The file has no moving picture. Send a video or an animated image.',
      ),
  ],
  [
    /Decoder \(codec .*\) not found|no decoder found|Unknown decoder|decoder '\w+' is experimental|Unsupported codec|not implemented|unsupported/i,
    () =>
      new ServiceError(
        'unsupported-media',
        'The video uses a codec that cannot be read here. Convert it to H.264, H.265, VP9 or AV1 and send it again.',
      ),
  ],
]

/** @param exitCode null when ffmpeg was ended from outside, as the memory limit does */
export function explainRefusal(stderr: string, exitCode: number | null): ServiceError {
  const said = ffmpegsOwnWords(stderr)
  const known = REFUSALS.find(([words]) => words.test(said))?.[1]()
  const error = known ?? new ServiceError('invalid-request', UNREADABLE)
  error.cause = { program: 'ffmpeg', exitCode, stderr: stderr.slice(-4000) }
  return error
}
