import type { Size } from '@lantern-room/formats'
import { secondsText } from '../frames'
import type { NamedDecoder } from '../traits'
import { OWN_DECODERS, PLAIN_DECODERS, type PlainFormat, UPLOAD_DECODERS } from './decoders'

/** How ffmpeg may read its inputs. Nothing else in core names an input, so that none is without a list of decoders. */

/**
 * Demuxers by name. Without this list an upload named .mp4 with a playlist or a concat script inside reads local
 * files, and a DASH manifest makes network requests.
 */
const DEMUXERS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,gif,avi,mpegts,mpeg,flv,ogg,asf,apng'

/** 36 megapixels: 8K and every phone's photo-sized video, but no decompression bomb. */
export const MAX_PIXELS = 36_000_000

export type InputOptions = {
  /**
   * Where to start. Times count from there. With `fromKeyFrame` they count from the beginning of the file, and decoding
   * starts at the key frame before.
   */
  readonly seekSeconds?: number
  readonly fromKeyFrame?: boolean
  readonly decoder?: NamedDecoder | undefined
  readonly maxSeconds?: number
  readonly threads?: number
  /** How often it is read again from its beginning. @default 0 */
  readonly loops?: number
}

/** Arguments that open an untrusted file as the next input, with restrictions. */
export function untrustedInput(path: string, options: InputOptions = {}): string[] {
  return [
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS, ...onlyBy(UPLOAD_DECODERS)],
    ...['-max_pixels', String(MAX_PIXELS), ...inputOptions(options)],
    ...['-i', `file:${path}`],
  ]
}

/**
 * Arguments that open an MP4 on standard input: its index is ours, its samples are those of an untrusted file, and few of
 * them. Times are those of the index. The decoder of H.264 must not guess from these few in which order they are shown.
 */
export function untrustedMovie(): string[] {
  return [
    ...['-protocol_whitelist', 'pipe', ...onlyBy(UPLOAD_DECODERS), '-f', 'mp4'],
    ...['-max_pixels', String(MAX_PIXELS), '-strict', 'strict', '-copyts', '-i', 'pipe:0'],
  ]
}

/** Arguments that open an MP4 of our own making as the next input. */
export function ownInput(path: string, options: InputOptions = {}): string[] {
  const guard = ['-protocol_whitelist', 'file', ...onlyBy(OWN_DECODERS)]
  return [...guard, '-f', 'mp4', ...inputOptions(options), '-i', `file:${path}`]
}

/**
 * For input of our own making, which says all that there is to know. Probing would decode the first pictures and packets of
 * sound, and then they would be decoded once more.
 */
export const UNPROBED = '-nofind_stream_info'

/** Arguments that open an MP4 of our own making, its index first, on standard input. */
export const OWN_PIPE: readonly string[] = [
  ...['-protocol_whitelist', 'pipe', ...onlyBy(OWN_DECODERS), UNPROBED],
  ...['-f', 'mp4', '-i', 'pipe:0'],
]

/**
 * Arguments that open pictures without a container as the next input.
 * @param options of the format
 * @param path of a file. @default standard input
 */
export function plainInput(format: PlainFormat, options: readonly string[] = [], path?: string): string[] {
  const [protocol, address] = path === undefined ? ['pipe', 'pipe:0'] : ['file', `file:${path}`]
  const guard = ['-protocol_whitelist', protocol, ...onlyBy([PLAIN_DECODERS[format]])]
  return [...guard, ...options, '-f', format, '-i', address]
}

/** Arguments that open endless silence: 48 kHz, stereo. */
export const SILENCE: readonly string[] = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=stereo']

/** Arguments that open decoded pictures on standard input. */
export function rawInput(pixelFormat: 'rgb24' | 'gray', { width, height }: Size): string[] {
  return plainInput('rawvideo', ['-pix_fmt', pixelFormat, '-s', `${width}x${height}`])
}

/** ffmpeg lists an input's streams of other codecs but does not read them. Decoders that it opens by itself count as well. */
function onlyBy(decoders: readonly string[]): string[] {
  return ['-codec_whitelist', decoders.join(',')]
}

function inputOptions(options: InputOptions): string[] {
  const { seekSeconds, fromKeyFrame, decoder, maxSeconds, threads, loops } = options
  // With several threads, the decoder of Theora sometimes shows a green picture (5.1 and 7.0).
  const decoding = decoder === 'theora' ? 1 : threads
  return [
    ...(loops === undefined ? [] : ['-stream_loop', String(loops)]),
    ...(decoding === undefined ? [] : ['-threads', String(decoding)]),
    ...(decoder === undefined ? [] : ['-c:v', decoder]),
    ...(fromKeyFrame ? ['-noaccurate_seek', '-copyts', '-start_at_zero'] : []),
    ...(seekSeconds === undefined || seekSeconds <= 0 ? [] : ['-ss', secondsText(seekSeconds)]),
    ...(maxSeconds === undefined ? [] : ['-t', secondsText(maxSeconds)]),
  ]
}
