import { type ErrorCode, ServiceError } from '#core/errors'
import { isZip } from '#core/formats/livePhoto/readZip'
import type { SourceKind } from '../traits'

/** The kind of an upload by its first bytes. Names and media types from clients are not trusted. */
export type Sniffed =
  | 'video'
  | 'animated-image'
  | 'webp'
  | 'photo'
  | 'audio'
  | 'still-image'
  | 'empty'
  | 'unknown'

/**
 * @param head the file's first bytes; 4,096 are enough, fewer only when the file is shorter
 * @returns a guess by the signature alone; ffmpeg decides later about `video` and `animated-image`, and
 *   `videoOf` whether there is a video in a `photo`
 */
export function sniff(head: Uint8Array): Sniffed {
  if (head.length === 0) return 'empty'
  return SIGNATURES.find(([matches]) => matches(head))?.[1] ?? 'unknown'
}

type Signature = readonly [matches: (head: Uint8Array) => boolean, kind: Sniffed]

const SIGNATURES: readonly Signature[] = [
  [(head) => hasBrand(head, ['avis']), 'animated-image'],
  [(head) => hasBrand(head, ['avif']), 'still-image'],
  [(head) => hasBrand(head, ['heic', 'heix', 'heim', 'heis', 'mif1']), 'photo'],
  [(head) => hasBrand(head, ['M4A ', 'M4B ', 'M4P ']), 'audio'],
  [(head) => text(head, 4, 4) === 'ftyp', 'video'],
  // QuickTime from before there was an ftyp box.
  [(head) => ['moov', 'mdat', 'wide', 'pnot', 'free', 'skip'].includes(text(head, 4, 4)), 'video'],
  [bytesAt(0, 0x1a, 0x45, 0xdf, 0xa3), 'video'], // Matroska, WebM
  [(head) => ['GIF87a', 'GIF89a'].includes(text(head, 0, 6)), 'animated-image'],
  [isAnimatedPng, 'animated-image'],
  [isPng, 'still-image'],
  [(head) => text(head, 0, 4) === 'RIFF' && text(head, 8, 3) === 'AVI', 'video'],
  [isStillWebp, 'still-image'],
  [(head) => text(head, 0, 4) === 'RIFF' && text(head, 8, 4) === 'WEBP', 'webp'],
  [(head) => text(head, 0, 4) === 'RIFF' && text(head, 8, 4) === 'WAVE', 'audio'],
  [(head) => isTransportStream(head, 0, 188) || isTransportStream(head, 4, 192), 'video'],
  [bytesAt(0, 0, 0, 1, 0xba), 'video'], // MPEG program stream
  [(head) => text(head, 0, 3) === 'FLV', 'video'],
  [(head) => text(head, 0, 4) === 'OggS', 'video'],
  [bytesAt(0, 0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11), 'video'], // ASF, WMV
  [bytesAt(0, 0xff, 0xd8, 0xff), 'photo'],
  [isZip, 'photo'], // perhaps with a Live Photo
  [(head) => text(head, 0, 2) === 'BM', 'still-image'],
  [(head) => ['II*\0', 'MM\0*', '8BPS'].includes(text(head, 0, 4)), 'still-image'], // TIFF and raw pictures, Photoshop
  [(head) => ['JXL ', 'jP  '].includes(text(head, 4, 4)), 'still-image'], // JPEG XL, JPEG 2000
  [bytesAt(0, 0xff, 0x0a), 'still-image'], // JPEG XL without a container
  [(head) => ['ID3', 'fLa'].includes(text(head, 0, 3)), 'audio'],
  [(head) => text(head, 0, 4) === 'FORM' && text(head, 8, 3) === 'AIF', 'audio'],
  [(head) => ['caff', '.snd', '#!AM'].includes(text(head, 0, 4)), 'audio'],
  [(head) => head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0, 'audio'], // MPEG audio, ADTS
]

function hasBrand(head: Uint8Array, brands: readonly string[]): boolean {
  return text(head, 4, 4) === 'ftyp' && brands.includes(text(head, 8, 4))
}

/** A transport stream is recognised by its sync byte at the start of several packets. */
function isTransportStream(head: Uint8Array, offset: number, packet: number): boolean {
  return [0, 1, 2].every((index) => head[offset + index * packet] === 0x47)
}

function isPng(head: Uint8Array): boolean {
  return bytesAt(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)(head)
}

/** A PNG without the chunk `acTL` before its pictures is a still image; if the head ends before, ffmpeg decides. */
function isAnimatedPng(head: Uint8Array): boolean {
  if (!isPng(head)) return false
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  for (let at = 8; at + 8 <= head.length; at += 12 + view.getUint32(at)) {
    const chunk = text(head, at + 4, 4)
    if (chunk === 'acTL') return true
    if (chunk === 'IDAT') return false
  }
  return true
}

/** Only the extended format can move, and a flag of its first chunk says so. */
function isStillWebp(head: Uint8Array): boolean {
  const isWebp = text(head, 0, 4) === 'RIFF' && text(head, 8, 4) === 'WEBP'
  return isWebp && !(text(head, 12, 4) === 'VP8X' && ((head[20] ?? 0) & 2) !== 0)
}

function bytesAt(offset: number, ...expected: readonly number[]): (head: Uint8Array) => boolean {
  return (head) => expected.every((byte, index) => head[offset + index] === byte)
}

function text(head: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...head.subarray(offset, offset + length))
}

/** The kind of an upload: a source, or a photo that may contain one. */
export type UploadKind = SourceKind | 'photo'

const REFUSED: Readonly<Record<Exclude<Sniffed, UploadKind>, readonly [ErrorCode, string]>> = {
  empty: ['invalid-request', 'The file is empty. Choose the video again and send it whole.'],
  audio: ['unsupported-media', 'The file is sound without a picture. Send a video or an animated image.'],
  'still-image': [
    'invalid-request',
    'The file is a still image: send a video, an animated image, or a motion photo with its video.',
  ],
  unknown: [
    'invalid-request',
    'The file is not a video or an animated image. Send MP4, MOV, WebM, MKV, AVI, MPEG, GIF, APNG, AVIF or WebP.',
  ],
}

/** Why a single picture is refused. */
export function stillImage(): ServiceError {
  return new ServiceError(...REFUSED['still-image'])
}

/** Finds the kind of one file from its first bytes, while the rest is still arriving. */
export function createSniffer() {
  let kind: UploadKind | undefined
  return {
    /** Takes the file's first bytes. @throws ServiceError as `sourceKind` */
    checkHead(head: Uint8Array): void {
      kind = sourceKind(head)
    },
    /** The kind that `checkHead` found. It is never called for an empty file: that is refused here. @throws ServiceError as `sourceKind` */
    kind: (): UploadKind => kind ?? sourceKind(new Uint8Array()),
  }
}

/**
 * Decides by the first bytes what an upload is.
 * @throws ServiceError `invalid-request` or `unsupported-media` when it cannot become a motion photo
 */
export function sourceKind(head: Uint8Array): UploadKind {
  const sniffed = sniff(head)
  if (isUploadKind(sniffed)) return sniffed
  throw new ServiceError(...REFUSED[sniffed])
}

function isUploadKind(sniffed: Sniffed): sniffed is UploadKind {
  return !(sniffed in REFUSED)
}
