import { exiftool } from '../media/exiftool'

type DirectoryItem = {
  readonly Mime?: string
  readonly Semantic?: string
  readonly Length?: number
  readonly Padding?: number
}

/** The tags of exiftool by which programs judge that use it, as PhotoPrism and Immich do. */
export type ExiftoolFacts = {
  readonly MotionPhoto?: number
  readonly MotionPhotoVersion?: number
  readonly MotionPhotoPresentationTimestampUs?: number
  readonly MicroVideo?: number
  readonly MicroVideoOffset?: number
  readonly MicroVideoPresentationTimestampUs?: number
  readonly EmbeddedVideoType?: string
  readonly ContainerDirectory?: readonly { readonly Item?: DirectoryItem }[]
  readonly ContentIdentifier?: string
  /** The bytes that exiftool takes out. */
  readonly motionPhotoVideo: Uint8Array | undefined
  readonly embeddedVideoFile: Uint8Array | undefined
}

const NAMES = [
  'MotionPhoto',
  'MotionPhotoVersion',
  'MotionPhotoPresentationTimestampUs',
  'MicroVideo',
  'MicroVideoOffset',
  'MicroVideoPresentationTimestampUs',
  'EmbeddedVideoType',
  'ContainerDirectory',
  'ContentIdentifier',
]

/** @param path of a photo or video */
export async function readExiftoolFacts(path: string): Promise<ExiftoolFacts> {
  const tags = await exiftool('-j', '-n', '-struct', ...NAMES.map((name) => `-${name}`), path)
  const [facts] = JSON.parse(tags.toString()) as [
    Omit<ExiftoolFacts, 'motionPhotoVideo' | 'embeddedVideoFile'>,
  ]
  const [motionPhotoVideo, embeddedVideoFile] = await Promise.all(
    ['-MotionPhotoVideo', '-EmbeddedVideoFile'].map((tag) => exiftool('-b', tag, path)),
  )
  return { ...facts, motionPhotoVideo: whole(motionPhotoVideo), embeddedVideoFile: whole(embeddedVideoFile) }
}

function whole(bytes: Buffer | undefined): Uint8Array | undefined {
  return bytes && bytes.length > 0 ? bytes : undefined
}
