import { hasBytesAt } from '@lantern-room/base/bytes'
import { cutClip, presentationTimestampUs, readIndex, readPhoto } from '@lantern-room/formats'
import {
  assembleHeic,
  assembleWithMetadata,
  keepOwnMetadata,
  type MotionPhotoProfile,
} from '@lantern-room/formats/make'
import { readPlainJpeg } from '@lantern-room/formats/pictures'
import { withExif } from '@lantern-room/formats/words'
import { MAX_VIDEO_SECONDS } from '@lantern-room/media/browser'
import { type ByteSource, FormatError, readNow } from '@lantern-room/mp4/source'

export type Joined = {
  readonly bytes: Uint8Array
  readonly isHeic: boolean
  readonly notes: readonly string[]
  readonly problem?: undefined
}

/** Why a photo and its clip cannot be joined by copying. */
export type Unjoined = { readonly problem: string; readonly bytes?: undefined }

export type JoinWish = {
  readonly profile: MotionPhotoProfile
  readonly software: string
  /** The moment of the clip that the photo shows, in microseconds; undefined where the clip does not say. */
  readonly stillTimeUs: number | undefined
}

/** Profiles whose galleries read a motion photo that is a HEIC. */
const HEIC_PROFILES: readonly MotionPhotoProfile[] = ['universal', 'google']

/**
 * Joins a photo and its clip into a motion photo by copying: neither is encoded again.
 * @param still of which more may be said than by the original
 */
export async function joinPair(
  still: Uint8Array,
  clip: ByteSource,
  wish: JoinWish,
): Promise<Joined | Unjoined> {
  try {
    return await join(still, clip, wish)
  } catch (error) {
    if (error instanceof FormatError) return { problem: error.detail }
    throw error
  }
}

async function join(
  still: Uint8Array,
  source: ByteSource,
  { profile, software, stillTimeUs }: JoinWish,
): Promise<Joined | Unjoined> {
  const { movie } = await readIndex(source)
  if (!movie) return { problem: 'its clip is no MP4 or MOV that can be read' }
  const seconds = movie.durationSeconds
  if (!(seconds > 0) || seconds > MAX_VIDEO_SECONDS)
    return { problem: `its clip lasts ${seconds.toFixed(1)} s` }
  const cut = await cutClip(source, { stream: 0, start: 0, end: seconds, speed: 1 }, movie)
  if (cut.problem) return { problem: `the pictures of its clip cannot be copied (${cut.problem})` }
  const photo = readNow(readPhoto({ size: still.length }), still)
  const given =
    stillTimeUs ?? photo?.xmp?.presentationTimestampUs ?? photo?.xmp?.microVideoPresentationTimestampUs
  const moment = given === undefined || given < 0 ? seconds / 2 : Math.min(given / 1e6, seconds)
  const timeUs = presentationTimestampUs(moment, cut.times)
  const notes = cut.lacksSound ? ['the sound of its clip could not be copied'] : []
  if (photo?.format === 'heic') {
    if (!HEIC_PROFILES.includes(profile)) return { problem: `galleries of ${profile} read no HEIC` }
    const bytes = assembleHeic({ cover: still, clip: cut.mp4, profile, presentationTimestampUs: timeUs })
    return { bytes, isHeic: true, notes }
  }
  const jpeg = readPlainJpeg(still)
  if (!jpeg) return { problem: 'the photo is cut or damaged' }
  const behind = still.subarray(jpeg.bytes.length)
  const gainMap = gainMapOf(behind, photo?.mpf?.length)
  if (behind.length > 0 && !gainMap)
    return { problem: 'the photo has more behind its picture, which would be lost' }
  const cover = withExif(jpeg.bytes)
  if (!cover) return { problem: 'the photo is damaged' }
  const { file, lost } = assembleWithMetadata(
    {
      profile,
      cover,
      thumbnail: new Uint8Array(),
      gainMap,
      clip: cut.mp4,
      presentationTimestampUs: timeUs,
      orientation: jpeg.orientation,
      takenAt: undefined,
      software,
    },
    keepOwnMetadata,
  )
  return {
    bytes: file,
    isHeic: false,
    notes: [...notes, ...lost.map((what) => `its ${what} could not be kept`)],
  }
}

/** A second picture, which is all that follows the first one. */
function gainMapOf(behind: Uint8Array, pictures: number | undefined): Uint8Array | undefined {
  if (pictures !== 2 || !hasBytesAt(behind, 0, Uint8Array.of(0xff, 0xd8))) return undefined
  const map = readPlainJpeg(behind)
  return map?.bytes.length === behind.length ? map.bytes : undefined
}
