import { type ErrorCode, ServiceError } from '@lantern-room/base'
import { latin1, viewOf } from '@lantern-room/base/bytes'
import type { SourceKind } from '../traits'

/** The kind of an upload: a source, or a photo that may contain one. */
export type UploadKind = SourceKind | 'photo'

/** The kind of an upload by its first bytes. Names and media types from clients are not trusted. */
export type Sniffed = UploadKind | Refused

/**
 * @param head the file's first bytes; 4,096 are enough, fewer only when the file is shorter
 * @returns a guess by the signature alone; ffmpeg decides later about `video` and `animated-image`, and
 *   `videoOf` whether there is a video in a `photo`
 * @example sniff(new Uint8Array()) // 'empty'
 */
export function sniff(head: Uint8Array): Sniffed {
  if (head.length === 0) return 'empty'
  const text = latin1(head)
  const kind = SIGNATURES.find(([signature]) => signature.test(text))?.[1] ?? 'unknown'
  if (kind === 'animated-image' && /^\x89PNG/.test(text) && !isAnimatedPng(head)) return 'still-image'
  // Only the extended format can move, and a flag of its first chunk says so.
  if (kind === 'webp' && !(/^.{12}VP8X/s.test(text) && (text.charCodeAt(20) & 2) !== 0)) return 'still-image'
  return kind
}

/** As Latin-1, the first that matches; and how files of the kind are called that are accepted, where folders are searched for them. */
const SIGNATURES: readonly (readonly [RegExp, Sniffed, string?])[] = [
  [/^.{4}ftypavis/s, 'animated-image', 'avifs avif'],
  [/^.{4}ftypavif/s, 'still-image'],
  [/^.{4}ftyp(?:hei[cxms]|mif1)/s, 'photo', 'heic heif hif'],
  [/^.{4}ftypM4[ABP] /s, 'audio'],
  [/^.{4}ftyp/s, 'video', 'mp4 m4v 3gp 3gpp 3g2 mj2 f4v insv'],
  // QuickTime from before there was an ftyp box.
  [/^.{4}(?:moov|mdat|wide|pnot|free|skip)/s, 'video', 'mov qt'],
  [/^\x1aE\xdf\xa3/, 'video', 'mkv webm'], // Matroska
  [/^GIF8[79]a/, 'animated-image', 'gif'],
  [/^\x89PNG\r\n\x1a\n/, 'animated-image', 'apng png'],
  [/^RIFF.{4}AVI/s, 'video', 'avi divx'],
  [/^RIFF.{4}WEBP/s, 'webp', 'webp'],
  [/^RIFF.{4}WAVE/s, 'audio'],
  // MPEG transport stream: a sync byte at the start of several packets, which may have four bytes before it.
  [/^G.{187}G.{187}G|^.{4}G.{191}G.{191}G/s, 'video', 'ts mts m2ts m2t'],
  [/^\0\0\x01\xba/, 'video', 'mpg mpeg mpe m2p vob mod'], // MPEG program stream
  [/^FLV|^OggS/, 'video', 'flv ogv ogm'],
  [/^0&\xb2u\x8ef\xcf\x11/, 'video', 'wmv asf'],
  [/^\xff\xd8\xff/, 'photo', 'jpg jpeg jpe jfif'],
  [/^PK\x03\x04/, 'photo', 'zip livp'], // a ZIP, perhaps with a Live Photo
  [/^BM/, 'still-image'],
  [/^(?:II\*\0|MM\0\*|8BPS)/, 'still-image'], // TIFF and raw pictures, Photoshop
  [/^.{4}(?:JXL |jP {2})|^\xff\n/s, 'still-image'], // JPEG XL, also without a container, JPEG 2000
  [/^(?:ID3|fLa|FORM.{4}AIF|caff|\.snd|#!AM)/s, 'audio'],
  [/^\xff[\xe0-\xff]/, 'audio'], // MPEG audio, ADTS
]

/** The endings of files that may become a motion photo, in small letters and without the dot. */
export const SOURCE_ENDINGS: ReadonlySet<string> = new Set(
  SIGNATURES.flatMap(([, , endings]) => endings?.split(' ') ?? []),
)

/** A PNG without the chunk `acTL` before its pictures is a still image; if the head ends before, ffmpeg decides. */
function isAnimatedPng(head: Uint8Array): boolean {
  const view = viewOf(head)
  for (let at = 8; at + 8 <= head.length; at += 12 + view.getUint32(at)) {
    const chunk = latin1(head, at + 4, at + 8)
    if (chunk === 'acTL') return true
    if (chunk === 'IDAT') return false
  }
  return true
}

type Refused = 'empty' | 'audio' | 'still-image' | 'unknown'

const REFUSED: Readonly<Record<Refused, readonly [ErrorCode, string]>> = {
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

/**
 * Why a single picture is refused.
 * @example throw stillImage()
 */
export function stillImage(): ServiceError {
  return new ServiceError(...REFUSED['still-image'])
}

/**
 * Finds the kind of one file from its first bytes, while the rest is still arriving.
 * @example const { checkHead, kind } = createSniffer(); checkHead(head); kind()
 */
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
 * @example sourceKind(head) // 'video'
 */
export function sourceKind(head: Uint8Array): UploadKind {
  const sniffed = sniff(head)
  if (isUploadKind(sniffed)) return sniffed
  throw new ServiceError(...REFUSED[sniffed])
}

function isUploadKind(sniffed: Sniffed): sniffed is UploadKind {
  return !(sniffed in REFUSED)
}
