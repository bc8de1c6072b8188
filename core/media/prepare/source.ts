import { ServiceError } from '#core/errors'
import type { PictureTraits } from '../ffmpeg/filters'
import type { Size } from './previewSize'
import { type Sniffed, sniff } from './sniff'

/** What an upload is, in the words that decide how it is decoded. */
export type SourceKind = 'video' | 'animated-image' | 'webp'

/** How the original of a session must be read when a cover is taken from it. */
export type OriginalTraits = PictureTraits & {
  /** Which of its video streams, as in `Probe`. */
  readonly stream: number
  /** Whether it can be entered in its middle and every picture still has its time. */
  readonly isSeekable: boolean
  readonly kind: SourceKind
  /** Pixels as shown. */
  readonly size: Size
}

const REFUSED: Readonly<Record<Exclude<Sniffed, SourceKind>, () => ServiceError>> = {
  empty: () =>
    new ServiceError('invalid-request', 'The file is empty. Choose the video again and send it whole.'),
  audio: () =>
    new ServiceError(
      'unsupported-media',
      'The file is sound without a picture. Send a video or an animated image.',
    ),
  'still-image': () =>
    new ServiceError('invalid-request', 'The file is a still image. Send a video or an animated image.'),
  unknown: () =>
    new ServiceError(
      'invalid-request',
      'The file is not a video or an animated image. Send MP4, MOV, WebM, MKV, AVI, MPEG, GIF, APNG, AVIF or WebP.',
    ),
}

export type Sniffer = {
  /** To be given the first bytes. @throws ServiceError as `sourceKind` */
  readonly checkHead: (head: Uint8Array) => void
  /** What they were. Nobody is asked about an empty file, which is refused here. @throws ServiceError as `sourceKind` */
  kind(): SourceKind
}

/** Looks at the first bytes of one file while it arrives, and remembers what it is. */
export function createSniffer(): Sniffer {
  let kind: SourceKind | undefined
  return {
    checkHead: (head) => {
      kind = sourceKind(head)
    },
    kind: () => kind ?? sourceKind(new Uint8Array()),
  }
}

/**
 * Decides by the first bytes what an upload is.
 * @throws ServiceError `invalid-request` or `unsupported-media` when it is nothing that can become a motion photo
 */
export function sourceKind(head: Uint8Array): SourceKind {
  const sniffed = sniff(head)
  if (sniffed === 'video' || sniffed === 'animated-image' || sniffed === 'webp') return sniffed
  throw REFUSED[sniffed]()
}
