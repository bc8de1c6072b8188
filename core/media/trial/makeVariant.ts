import { createHash } from 'node:crypto'
import { concatBytes } from '#core/bytes'
import { photoBaseName, unixTimeOf, type WallClock } from '#core/formats/exif/wallClock'
import { assembleLivePhoto } from '#core/formats/livePhoto/livePhoto'
import { assembleMotionPhoto, type MotionPhotoParts } from '#core/formats/motionPhoto/assemble'
import { stampTimes } from '#core/formats/mp4/stampTimes'
import { zipPieces } from '#core/formats/zip/zip'
import { type ChangedClip, VARIANT_IDS, VARIANTS, type VariantId } from './variants'

/** Another clip, and the moment of it that the still shows. */
export type OtherClip = Pick<MotionPhotoParts, 'clip' | 'presentationTimestampUs'>

/** What all variants of a trial are made of. */
export type TrialMaterial = {
  /** Of the baseline. */
  readonly parts: Omit<MotionPhotoParts, 'profile' | 'changes'>
  readonly namedAt: WallClock
  /** Those that could be made. */
  readonly clips: Readonly<Partial<Record<ChangedClip, OtherClip>>>
}

export type MadeVariant = {
  readonly file: string
  readonly contentType: 'image/jpeg' | 'application/zip'
  readonly bytes: Uint8Array
}

/**
 * Makes a file that differs from the baseline in one thing.
 * @returns undefined when its clip could not be made
 * @throws ServiceError `internal`
 */
export function makeVariant(id: VariantId, material: TrialMaterial): MadeVariant | undefined {
  const { change } = VARIANTS[id]
  const { parts } = material
  const file = fileNameOf(id, material)
  const photo = (more: Partial<MotionPhotoParts>): MadeVariant => ({
    file,
    contentType: 'image/jpeg',
    bytes: assembleMotionPhoto({ ...parts, profile: 'universal', ...more }),
  })
  switch (change.kind) {
    case 'traits':
      return photo({ changes: change.traits })
    case 'profile':
      return photo({ profile: change.profile })
    case 'name':
      return photo({})
    case 'clip': {
      const other = material.clips[change.clip]
      return other && photo({ ...other, clip: dated(other.clip, parts.takenAt) })
    }
    case 'live-photo':
      return { file, contentType: 'application/zip', bytes: livePhoto(file, material) }
  }
}

/** A clip that was joined anew has lost the time of its recording. */
function dated(clip: Uint8Array, takenAt: WallClock | undefined): Uint8Array {
  const copy = clip.slice()
  if (takenAt) stampTimes(copy, unixTimeOf(takenAt))
  return copy
}

const PATTERNS = {
  MVIMG: (time: string) => `MVIMG_${time}.jpg`,
  // Pixel cameras add milliseconds.
  PXL: (time: string) => `PXL_${time}000.MP.jpg`,
  IMG: (time: string) => `IMG_${time}.jpg`,
} as const

/**
 * A camera's name whose seconds are the number of the variant, so that each can be told from the others on the phone and the
 * pattern of the name stays.
 */
function fileNameOf(id: VariantId, { namedAt }: TrialMaterial): string {
  const { change } = VARIANTS[id]
  const time = photoBaseName({ ...namedAt, second: VARIANT_IDS.indexOf(id) }).replace(/^IMG_/, '')
  if (change.kind === 'name') return PATTERNS[change.pattern](time)
  return change.kind === 'live-photo' ? `IMG_${time}.zip` : `IMG_${time}_MP.jpg`
}

function livePhoto(file: string, { parts, namedAt }: TrialMaterial): Uint8Array {
  const { still, movie } = assembleLivePhoto({ ...parts, identifier: identifierOf(parts.clip) })
  const name = file.replace(/\.zip$/, '')
  const files = [
    { name: `${name}.JPG`, bytes: still },
    { name: `${name}.MOV`, bytes: movie },
  ]
  return concatBytes(zipPieces(files, namedAt))
}

/** The same for the same clip, so that a second run makes the same bytes. @see RFC 9562, 5.8 (UUID version 8) */
function identifierOf(clip: Uint8Array): string {
  const digits = createHash('sha256').update(clip).digest('hex').toUpperCase()
  const part = (start: number, end: number) => digits.slice(start, end)
  return `${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-A${part(17, 20)}-${part(20, 32)}`
}
