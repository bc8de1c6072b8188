import { FPS } from '../frames'

/**
 * A key frame every half second: scrubbing is quick and a cut re-encodes at most 13 frames. An even number, so that every second
 * frame can be left out in all groups alike.
 */
export const GROUP_FRAMES = 14

/** Limits of level 3.1 for the baseline profile, in bits and bits per second. @see ITU-T H.264, table A-1, MaxBR and MaxCPB */
const LEVEL_BITS = 14_000_000

/** The most that a frame of AAC has, for two channels at 48 kHz. @see ISO/IEC 14496-3, 4.5.3.1 */
const SOUND_BITS = (2 * 6144 * 48_000) / 1024

/**
 * The most bytes of a preview. Copied sound has no other limit: a few bytes of Matroska may stand for packets of any size, and fragments
 * may name the same bytes again and again.
 */
export function mostPreviewBytes(seconds: number): number {
  return Math.ceil(((seconds + 2) * (LEVEL_BITS + SOUND_BITS)) / 8)
}

/** A decoder keeps two pictures. The parameter sets say so. */
const TWO_PICTURES = 'dpb-size=2'

/**
 * Each frame is predicted from the newest one of an even number, so that every second frame can be left out by
 * `keepEverySecond`. x264 does so for two interleaved views, and says in a message (SEI) of each frame that there are two, which
 * is not so and is removed.
 * @see ITU-T H.264, D.2.26, frame_packing_arrangement_type 5
 */
const EVERY_SECOND_IS_SPARE = [TWO_PICTURES, 'ref=1', 'frame-packing=5']
const WITHOUT_MESSAGES = ['-bsf:v', 'filter_units=remove_types=6']

/**
 * H.264 baseline at level 3.1 with closed groups, one parameter set and no B-frames.
 * `ultrafast` with mbtree and weak adaptive quantization matches `superfast` in rate and distortion on what a phone
 * records, at two thirds of the work. A lookahead of five frames takes 15 MB less memory than one of ten, for nearly the
 * same bits and quality.
 */
export const PREVIEW_VIDEO = [
  ...h264Baseline({ crf: 22, lookahead: 5, parameters: EVERY_SECOND_IS_SPARE }),
  ...WITHOUT_MESSAGES,
] as const

/** A re-encoded clip: its high quality makes up for the second generation. */
export const CLIP_VIDEO = h264Baseline({ crf: 17, lookahead: 10, parameters: [] })

/**
 * The few frames before the first key frame of a clip that is copied. As the preview's they must be, so that one set of
 * parameters serves both.
 */
export const HEAD_VIDEO = [
  ...h264Baseline({ crf: 17, lookahead: 0, parameters: [TWO_PICTURES] }),
  ...['-threads', '1'],
] as const

type Encoding = {
  readonly crf: number
  /** How many later frames x264 looks at to decide which blocks are worth more bits; 0 for none. */
  readonly lookahead: number
  /** Further ones for x264. */
  readonly parameters: readonly string[]
}

function h264Baseline({ crf, lookahead, parameters }: Encoding): readonly string[] {
  const tree = ['mbtree=1', `rc-lookahead=${lookahead}`, 'sync-lookahead=0', 'aq-mode=1', 'aq-strength=0.3']
  const all = ['stitchable=1', 'deblock=0,0', ...parameters, ...(lookahead > 0 ? tree : [])]
  return [
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', String(crf)],
    ...['-x264-params', all.join(':'), '-profile:v', 'baseline', '-level:v', '3.1', '-pix_fmt', 'yuv420p'],
    ...['-maxrate', String(LEVEL_BITS), '-bufsize', String(LEVEL_BITS)],
    ...['-g', String(GROUP_FRAMES), '-keyint_min', String(GROUP_FRAMES), '-sc_threshold', '0'],
    ...['-r', String(FPS), '-color_range', 'tv', '-colorspace', 'bt709'],
    ...['-color_primaries', 'bt709', '-color_trc', 'bt709'],
  ]
}

/** Samples per second of all sound that is encoded. */
export const SOUND_RATE = 48_000

/** AAC-LC of 128 kbit/s at 48 kHz, mono or stereo. */
export function aacAudio(channels: number): string[] {
  return aacArgs(channels, ['-b:a', '128k'])
}

/**
 * As `aacAudio`, of constant quality and about as many bits (60 to 160 kbit/s). For a bit rate the encoder codes each frame
 * several times until its size fits, which takes more than half of its time.
 */
export function clipAudio(channels: number): string[] {
  return aacArgs(channels, ['-q:a', '1'])
}

function aacArgs(channels: number, rate: readonly string[]): string[] {
  const inBounds = Math.min(2, Math.max(1, channels))
  return ['-c:a', 'aac', ...rate, '-ar', String(SOUND_RATE), '-ac', String(inBounds)]
}

/** An MP4 with its index first, without the upload's metadata (place, device, owner). */
export function mp4Output(path: string): string[] {
  return [
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact'],
    ...['-flags:a', '+bitexact', '-movflags', '+faststart', '-abort_on', 'empty_output', '-f', 'mp4', '-y'],
    `file:${path}`,
  ]
}

/**
 * One picture of full range. With `-strict unofficial` the encoder takes it as `yuv420p` (see `JPEG_FORMAT`), which saves a
 * conversion. The file is the same.
 */
const ONE_JPEG = '-frames:v 1 -c:v mjpeg -color_range pc -strict unofficial'.split(' ')

/**
 * One thread: each further one would hold whole pictures in memory, and a single picture is not encoded faster.
 * @param quality ffmpeg's scale for JPEG, 2 (best) to 31
 */
export function jpegOutput(path: string, quality: number): string[] {
  return [...ONE_JPEG, ...['-threads', '1', '-q:v', String(quality), '-f', 'mjpeg', '-y', `file:${path}`]]
}

export const PROGRESS = ['-progress', 'pipe:2', '-stats_period', '0.25', '-nostats'] as const
