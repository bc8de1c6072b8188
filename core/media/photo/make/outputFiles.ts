import { randomUUID } from 'node:crypto'
import { ServiceError, type Wording } from '@lantern-room/base'
import { assembleLivePhoto } from '@lantern-room/formats'
import type { MetadataLoss } from '@lantern-room/formats/make'
import {
  assembleHeic,
  assembleWithMetadata,
  keepOwnMetadata,
  type LivePhotoParts,
  MOTION_PHOTO_PROFILES,
  type MotionPhotoProfile,
  motionPhotoProfileNamed,
  PHONE_PROFILES,
} from '@lantern-room/formats/make'
import { FormatError } from '@lantern-room/mp4/source'
import type { PhotoOrigin } from '#media/capture/chooseOrigin'
import { refusing } from '#media/formatRefusal'
import type { PictureEdit } from '#media/pictureEdit'

export type OutputFile = { readonly name: string; readonly bytes: Uint8Array }

export type OutputMaterial = Omit<LivePhotoParts, 'identifier'> & {
  /** Whether the cover is a HEIC, which it stays: of `HEIC_PROFILES` only. @default false */
  readonly isHeic?: boolean
  /** Of the files, without what a profile adds to it. */
  readonly name: string
}

/** What could not be kept of a photo's own metadata in any of the files. */
export type WrittenFiles = { readonly files: readonly OutputFile[]; readonly lost: readonly MetadataLoss[] }

/**
 * Writes the files of a profile, first the one that shows its cover.
 * @returns one file for a motion photo, more for profiles that are a ZIP
 * @throws ServiceError `internal`
 */
export function outputFiles(profile: OutputProfile, material: OutputMaterial): WrittenFiles {
  const { name, isHeic = false, ...photo } = material
  const keepOwn = photo.keepsMetadata ? keepOwnMetadata : undefined
  const lost: MetadataLoss[] = []
  const bytesFor = (wanted: MotionPhotoProfile) => {
    const made = refusing(() => assembleWithMetadata({ ...photo, profile: wanted }, keepOwn))
    lost.push(...made.lost)
    return made.file
  }
  if (isHeic && isHeicProfile(profile))
    return { files: [{ name: `${name}_MP.HEIC`, bytes: keepHeic({ ...photo, profile }) }], lost }
  if (isMotionPhotoProfile(profile))
    return { files: [{ name: `${name}_MP.jpg`, bytes: bytesFor(profile) }], lost }
  const live = refusing(() => assembleLivePhoto({ ...photo, identifier: randomUUID().toUpperCase() }))
  lost.push(...live.lost)
  const pair = [
    { name: `${name}.JPG`, bytes: live.still },
    { name: `${name}.MOV`, bytes: live.movie },
  ]
  if (profile === 'apple') return { files: pair, lost }
  const files = [
    { name: `${name}_MP.jpg`, bytes: bytesFor('universal') },
    { name: `${name}_huawei_MP.jpg`, bytes: bytesFor('huawei') },
    { name: `${name}_old_MP.jpg`, bytes: bytesFor('legacy') },
    ...pair,
    { name: 'README.txt', bytes: new TextEncoder().encode(noteOf(name)) },
  ]
  return { files, lost }
}

/** @throws ServiceError `unprocessable` when it has no room for that, or is damaged */
function keepHeic(parts: Parameters<typeof assembleHeic>[0]): Uint8Array {
  try {
    return assembleHeic(parts)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    const detail: Wording = (nameOf) => `${cause.detail} Leave ${nameOf('format')} out for a JPEG.`
    throw new ServiceError('unprocessable', detail, { cause })
  }
}

export function sizeOfFiles(files: readonly OutputFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

function noteOf(name: string): string {
  return [
    'The same moving photo for phones of different makers. Send the file to the phone as a',
    'file: chat programs keep only the picture.',
    '',
    `${name}_MP.jpg`,
    '  Google Pixel and Google Photos, Samsung, Xiaomi, OPPO, OnePlus, realme, vivo',
    `${name}_huawei_MP.jpg`,
    '  Huawei, Honor',
    `${name}_old_MP.jpg`,
    '  Xiaomi phones and galleries from before 2021',
    `${name}.JPG and ${name}.MOV, both together`,
    '  iPhone, iPad and Mac: a Live Photo. Put both into Photos in one step.',
    '',
  ].join('\r\n')
}

/**
 * The formats that a clip and a cover can be written in: one motion photo, or several files in a ZIP:
 * - `apple`: photo and video of a Live Photo
 * - `all`: a file for each family of galleries, and a note that says which is whose
 */
export const OUTPUT_PROFILES = [...MOTION_PHOTO_PROFILES, 'apple', 'all'] as const

export type OutputProfile = (typeof OUTPUT_PROFILES)[number]

/** What a client may call a profile: its own name, or that of a maker of phones. */
export const PROFILE_NAMES: readonly string[] = [...OUTPUT_PROFILES, ...PHONE_PROFILES.keys(), 'iphone']

/**
 * @returns undefined for a name that is none; the names of phones may be in capitals
 * @example profileNamed('iPhone') // 'apple'
 */
export function profileNamed(name: string): OutputProfile | undefined {
  if (name === 'all' || name === 'apple') return name
  return name.toLowerCase() === 'iphone' ? 'apple' : motionPhotoProfileNamed(name)
}

/** Those whose galleries read a motion photo whose picture is a HEIC. @see docs/phones.md */
export const HEIC_PROFILES = ['universal', 'google'] as const

function isHeicProfile(profile: OutputProfile): profile is (typeof HEIC_PROFILES)[number] {
  return HEIC_PROFILES.some((known) => known === profile)
}

/**
 * Refuses what a photo cannot have that stays a HEIC, byte by byte.
 * @throws ServiceError `unprocessable` naming the field
 */
export function checkKept(
  profile: OutputProfile,
  { crop, rotate }: PictureEdit,
  { keepsMetadata, isDateGiven, zoneFrom }: PhotoOrigin,
): void {
  const others = [
    [!isHeicProfile(profile), 'profile', `must be ${HEIC_PROFILES.join(' or ')}`],
    [crop !== undefined || rotate !== 0, crop ? 'crop' : 'rotate', 'must be left out'],
    [
      !keepsMetadata || isDateGiven === true || zoneFrom === 'request',
      'metadata',
      'must be all, without another date or zone',
    ],
  ] as const
  const found = others.find(([isAsked]) => isAsked)
  if (!found) return
  throw new ServiceError(
    'unprocessable',
    (nameOf) =>
      `With ${nameOf('format=keep')}, ${nameOf(found[1])} ${found[2]}: the photo is a HEIC and stays one.`,
  )
}

/** @example isMotionPhotoProfile('apple') // false: a ZIP */
export function isMotionPhotoProfile(profile: OutputProfile): profile is MotionPhotoProfile {
  return MOTION_PHOTO_PROFILES.some((known) => known === profile)
}
