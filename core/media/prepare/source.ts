import { ServiceError } from '#core/errors'
import type { SourceKind } from '../traits'
import { type Sniffed, sniff } from './sniff'

/** What an upload is: a source, or a photo in which there may be one. */
export type UploadKind = SourceKind | 'photo'

const REFUSED: Readonly<Record<Exclude<Sniffed, UploadKind>, () => ServiceError>> = {
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
  /** Takes the file's first bytes. @throws ServiceError as `sourceKind` */
  readonly checkHead: (head: Uint8Array) => void
  /** The kind that `checkHead` found. It is never called for an empty file: that is refused here. @throws ServiceError as `sourceKind` */
  kind(): UploadKind
}

/** Finds the kind of one file from its first bytes, while the rest is still arriving. */
export function createSniffer(): Sniffer {
  let kind: UploadKind | undefined
  return {
    checkHead: (head) => {
      kind = sourceKind(head)
    },
    kind: () => kind ?? sourceKind(new Uint8Array()),
  }
}

/**
 * Decides by the first bytes what an upload is.
 * @throws ServiceError `invalid-request` or `unsupported-media` when it cannot become a motion photo
 */
export function sourceKind(head: Uint8Array): UploadKind {
  const sniffed = sniff(head)
  if (isUploadKind(sniffed)) return sniffed
  throw REFUSED[sniffed]()
}

function isUploadKind(sniffed: Sniffed): sniffed is UploadKind {
  return !(sniffed in REFUSED)
}
