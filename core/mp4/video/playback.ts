import { viewOf } from '@lantern-room/base/bytes'
import { entryBoxes } from '../movie/sampleEntry'
import type { Track } from '../movie/track'
import { foreignSets, formatsOf, hasLayers, hasOwnSets, readCodedStream } from './codedStream'
import type { VideoFormat } from './videoFormat'

/** Why phones do not play pictures, or not as they are meant. */
export const VIDEO_PROBLEM_CODES = [
  'clip-codec',
  'clip-interlaced',
  'clip-size',
  'clip-rate',
  'clip-changes',
  'clip-mirrored',
  'clip-hev1',
] as const
export type VideoProblemCode = (typeof VIDEO_PROBLEM_CODES)[number]

export type Judgement = {
  /** Undefined where no parameter set can be read. */
  readonly format: VideoFormat | undefined
  readonly problems: readonly VideoProblemCode[]
}

/** How much of a video is to be decoded in a second. */
export type VideoRate = { readonly frames: number; readonly bits: number }

/** What decoders of all phones have, the second with 10 bits. */
const PROFILES = new Set(['H.264 Baseline', 'H.264 Main', 'H.264 High', 'HEVC Main', 'HEVC Main 10'])

/** The limits of level 5.2. @see ITU-T H.264, table A-1; ITU-T H.265, tables A.8 and A.9, in blocks of 16 × 16 */
const MAX_LEVEL = 5.2
const MAX_FRAME_BLOCKS = 36_864
const MAX_BLOCKS_PER_SECOND = { 'H.264': 2_073_600, HEVC: 4_177_920 } as const
const MAX_BITS_PER_SECOND = 300_000_000

/** Entries for which Apple's programs have no decoder. */
const REFUSED_BY_APPLE = new Set(['hev1', 'avc3'])

/**
 * Judges whether phones play the pictures of a track of H.264 or HEVC. What copies a track and what inspects one both ask this.
 * @param samples whole or their first kilobytes: those that may have parameter sets of their own, which are the key frames
 * @example
 * judgeVideo(track, keyFrames, { frames: 30, bits: 8_000_000 }).problems // ['clip-hev1']
 */
export function judgeVideo(track: Track, samples: readonly Uint8Array[], rate: VideoRate): Judgement {
  const streams = [track.sampleEntry, ...track.otherEntries].map(readCodedStream)
  const [stream] = streams
  if (!stream) return { format: undefined, problems: ['clip-codec'] }
  const foreign = foreignSets(stream, samples)
  const formats = [
    ...streams.flatMap((one) => (one ? formatsOf(one, one.sets) : [undefined])),
    ...formatsOf(stream, foreign),
  ]
  const [format] = formats
  const isComplete = hasOwnSets(stream) || foreign.length > 0
  const known = formats.filter((one) => one !== undefined)
  const problems: Readonly<Record<VideoProblemCode, boolean>> = {
    'clip-codec':
      !isComplete ||
      !format ||
      known.length < formats.length ||
      !known.every(isCommon) ||
      isOwnLight(track) ||
      hasLayers(stream, track.sampleEntry, samples),
    'clip-interlaced': known.some(({ isInterlaced }) => isInterlaced),
    'clip-size': known.some(isTooLarge),
    'clip-rate': known.some((one) => isTooFast(one, rate)),
    'clip-changes': known.some((one) => !isAlike(one, format)),
    'clip-mirrored': !isRotation(track.display.matrix),
    'clip-hev1': REFUSED_BY_APPLE.has(track.codec),
  }
  return { format, problems: VIDEO_PROBLEM_CODES.filter((code) => problems[code]) }
}

function isCommon({ codec, profile, bitDepth, chroma }: VideoFormat): boolean {
  const most = profile === 'Main 10' ? 10 : 8
  return PROFILES.has(`${codec} ${profile}`) && bitDepth <= most && chroma === '4:2:0'
}

function isTooLarge({ level, width, height }: VideoFormat): boolean {
  return level > MAX_LEVEL || blocksOf({ width, height }) > MAX_FRAME_BLOCKS
}

function isTooFast(format: VideoFormat, { frames, bits }: VideoRate): boolean {
  // A recording's frames do not come in perfect time.
  const blocks = blocksOf(format) * Math.floor(frames * 0.99)
  return blocks > MAX_BLOCKS_PER_SECOND[format.codec] || bits > MAX_BITS_PER_SECOND
}

function blocksOf({ width, height }: Pick<VideoFormat, 'width' | 'height'>): number {
  return Math.ceil(width / 16) * Math.ceil(height / 16)
}

function isAlike(one: VideoFormat, other: VideoFormat | undefined): boolean {
  return (['width', 'height', 'bitDepth', 'chroma'] as const).every((trait) => one[trait] === other?.[trait])
}

/** Turned by quarters, and neither mirrored, sheared nor scaled. @see ISO/IEC 14496-12, 6.2.2 */
function isRotation(matrix: Uint8Array): boolean {
  const view = viewOf(matrix)
  const [a = 0, b = 0, c = 0, d = 0] = [0, 4, 12, 16].map((at) => view.getInt32(at) / 0x10000)
  return a === d && b === -c && Math.abs(a) + Math.abs(b) === 1 && a * b === 0
}

/** Dolby Vision whose colours mean nothing to other decoders. @see Dolby Vision Streams within ISOBMFF, 3.2 */
function isOwnLight({ sampleEntry }: Track): boolean {
  const configuration = entryBoxes(sampleEntry).find(({ type }) => /^dv[cvw]C$/.test(type))?.body
  return configuration !== undefined && (configuration[4] ?? 0) >> 4 === 0
}
