import type { Inspection } from '#core/formats/motionPhoto/inspect'
import type { Donor } from './readDonor'

/** Something that a photo has otherwise than the donor's phone writes it. */
export type Difference = {
  readonly what: string
  /** Null: absent. */
  readonly photo: string | null
  readonly donor: string | null
}

/** What differs between a photo and the donor, in a fixed order. */
export function compareWithDonor({ photo }: Pick<Inspection, 'photo'>, donor: Donor): Difference[] {
  const ours = factsOf(photo)
  const theirs = factsOf(donor.photo)
  return Object.keys(ours)
    .map((what) => ({ what, photo: ours[what] ?? null, donor: theirs[what] ?? null }))
    .filter((row) => row.photo !== row.donor)
}

/** By what a gallery could tell photos apart, as text. */
function factsOf({
  exif,
  xmp,
  samsung,
  huawei,
  mpf,
  format,
}: Donor['photo']): Record<string, string | undefined> {
  const text = (value: number | undefined) => (value === undefined ? undefined : String(value))
  const present = (mark: unknown) => (mark === undefined ? undefined : 'present')
  return {
    format,
    maker: exif?.maker,
    model: exif?.model,
    'MotionPhoto (XMP)': text(xmp?.motionPhoto),
    'MotionPhotoVersion (XMP)': text(xmp?.motionPhotoVersion),
    'MicroVideo (XMP)': text(xmp?.microVideo),
    'directory (XMP)': xmp?.items.map(({ semantic }) => semantic ?? '?').join(', '),
    'Samsung trailer': present(samsung),
    'Huawei tail': present(huawei),
    'Xiaomi tag 0x8897': exif?.xiaomiMark,
    UserComment: exif?.userComment,
    MPF: present(mpf),
    'OPPO owner': xmp?.oplus?.owner,
    'OPPO OLivePhotoVersion': text(xmp?.oplus?.oLivePhotoVersion),
    'vivo VMotionPhotoVersion': text(xmp?.vivo?.motionPhotoVersion),
    'vivo VMediaKitVersion': xmp?.vivo?.mediaKitVersion,
    'content identifier (Apple)': present(exif?.contentIdentifier),
  }
}
