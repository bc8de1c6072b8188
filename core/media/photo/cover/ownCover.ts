import { ServiceError } from '@lantern-room/base'
import { concatBytes, hasBytesAt, latin1 } from '@lantern-room/base/bytes'
import type { MetadataLoss } from '@lantern-room/formats/make'
import {
  carryHeader,
  type HeicPicture,
  type HeicTurn,
  isHeicHead,
  PixelChange,
  type PlainJpeg,
  profileSegments,
  readHeic,
  readHeicPicture,
  readPlainJpeg,
  readPngTags,
  readWebpTags,
  stripJpeg,
  tagSegments,
} from '@lantern-room/formats/pictures'
import { readNow } from '@lantern-room/mp4/source'
import { runFfmpeg } from '#media/ffmpeg/requireSuccess'
import {
  editedPixels,
  editFilters,
  isSideways,
  turned,
  turnedOrientation,
  uprightFilters,
} from '#media/pictureEdit'
import type { Ffmpeg, FfmpegTask, WorkFolder } from '#media/ports'
import { editedGainMap } from './editGainMap'
import { heicToJpegArgs, isTooLarge } from './heicArgs'
import { shownColours } from './heicColours'
import { MAX_JPEG_PIXELS, ownJpegArgs, ownThumbnailArgs, toJpegArgs } from './ownCoverArgs'
import { type Cover, type OwnCoverTask, readStills, stillFiles, THUMBNAIL_FILE } from './takeCover'
import { lostPictures, ownGainMap } from './takeGainMap'

/** A finished picture that becomes the cover: JPEG, PNG, WebP or HEIC. */
export type OwnPicture = {
  readonly bytes: Uint8Array
  /** Its name in messages: a field, or "The picture of the photo". */
  readonly name: string
  /** Whether a picture of the video may take its place where it cannot be decoded. @default false: it is refused */
  readonly isOptional?: boolean
  /** Whether it is a photo's own: a JPEG, with its gain map after it if there is one, or a HEIC. @default false */
  readonly isOfPhoto?: boolean
  /** Whether what it says of itself may stay. @default false */
  readonly hasTags?: boolean
  /** What was lost of that before. @default nothing */
  readonly lost?: readonly MetadataLoss[] | undefined
  /** Whether a HEIC stays one. @default false: it becomes a JPEG */
  readonly keepsHeic?: boolean
}

type Taking = OwnCoverTask & { readonly ffmpeg: Ffmpeg; readonly picture: OwnPicture }

/**
 * Makes a cover of a finished picture. A JPEG that is not cropped stays as it is, pixel by pixel, with its colour profile;
 * it is turned by its orientation.
 * @throws ServiceError `invalid-request` when it is empty, `unsupported-media` when it is no picture of a known kind,
 *   `unprocessable` when it is damaged or too large, `timeout`, `unavailable`
 */
export async function takeOwnCover(
  { ffmpeg }: { readonly ffmpeg: Ffmpeg },
  picture: OwnPicture,
  { folder, timeoutMs, signal, edit, source }: OwnCoverTask,
): Promise<Cover> {
  const taking = { ffmpeg, picture, folder, timeoutMs, signal, edit, source }
  checkPictureHead(picture)
  if (isKept(picture)) {
    await decodeHeic(taking, undefined)
    return { cover: picture.bytes, thumbnail: new Uint8Array(), hasOwnMetadata: true, isHeic: true }
  }
  const isJpeg = hasBytesAt(picture.bytes, 0, JPEG)
  const { bytes, ...made } = isJpeg ? { bytes: picture.bytes } : await convertToJpeg(taking)
  const jpeg = readPlainJpeg(bytes)
  if (!jpeg) throw refusal(picture, UNDECODABLE)
  const { width, height } = jpeg.size
  if (width * height > MAX_JPEG_PIXELS) throw refusal(picture, TOO_LARGE)
  return edit.crop || !jpeg.isCommon ? editJpeg(taking, jpeg, made) : keepJpeg(taking, jpeg, made)
}

/** What became of a picture that was another file, and is a JPEG now. */
type MadeJpeg = {
  /** Where its pixels are. Undefined: where they were. */
  readonly moved?: PixelChange | undefined
  readonly lost?: readonly MetadataLoss[] | undefined
}

/**
 * Refuses by the first bytes what cannot become a cover.
 * @throws ServiceError `invalid-request`, `unsupported-media`
 * @example checkPictureHead({ bytes, name: 'cover_file' })
 */
export function checkPictureHead({ bytes, name }: OwnPicture): void {
  if (bytes.length === 0) {
    throw new ServiceError('invalid-request', `${name} is empty. Choose the picture again and send it whole.`)
  }
  const isWebp = latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP'
  if (hasBytesAt(bytes, 0, JPEG) || hasBytesAt(bytes, 0, PNG) || isWebp || isHeicHead(bytes)) return
  throw new ServiceError('unsupported-media', `${name} is no JPEG, PNG, WebP or HEIC. Send one of these.`)
}

const JPEG = Uint8Array.of(0xff, 0xd8, 0xff)
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)

const CONVERTED_FILE = 'converted.jpg'

async function convertToJpeg(taking: Taking): Promise<MadeJpeg & { readonly bytes: Uint8Array }> {
  const { picture, folder } = taking
  if (isHeicHead(picture.bytes)) return convertHeic(taking)
  const format = hasBytesAt(picture.bytes, 0, PNG) ? 'png_pipe' : 'webp_pipe'
  await decode(taking, toJpegArgs(format, folder.path(CONVERTED_FILE)), picture.bytes)
  const { hasText, ...tags } =
    format === 'png_pipe' ? readPngTags(picture.bytes) : readWebpTags(picture.bytes)
  // Its orientation counts in any case.
  const { segments, lost } = tagSegments(tags)
  return {
    bytes: withSegments(await readConverted(folder), segments),
    lost: picture.hasTags ? [...lost, ...(hasText ? (['text'] as const) : [])] : [],
  }
}

/** Without the mark that an encoder leaves in its JPEGs. */
async function readConverted(folder: WorkFolder): Promise<Uint8Array> {
  const jpeg = await folder.read(CONVERTED_FILE)
  return stripJpeg(jpeg)?.bytes ?? jpeg
}

/** Whether a cover stays a HEIC. It is decoded all the same, so that a damaged one is refused. */
export function isKept({ bytes, keepsHeic = false }: OwnPicture): boolean {
  return keepsHeic && isHeicHead(bytes)
}

/** @param output undefined: it is decoded only. @throws ServiceError `unprocessable` */
async function decodeHeic(taking: Taking, output: string | undefined): Promise<DecodedHeic> {
  const { picture } = taking
  const heic = readHeicPicture(picture.bytes)
  if (!heic) throw refusal(picture, NO_HEIC)
  if (isTooLarge(heic)) throw refusal(picture, TOO_LARGE)
  const colours = shownColours(heic)
  if (!colours) throw refusal(picture, NO_COLOURS)
  await decode(taking, heicToJpegArgs(heic, colours, output), heic.stream)
  return { heic, profile: colours.profile ? profileSegments(colours.profile) : [] }
}

/** `profile`: segments with its colour profile. */
type DecodedHeic = { readonly heic: HeicPicture; readonly profile: readonly Uint8Array[] }

/** @returns a JPEG that is upright, with the picture's metadata and colour profile */
async function convertHeic(taking: Taking): Promise<MadeJpeg & { readonly bytes: Uint8Array }> {
  const { picture, folder } = taking
  const { heic, profile } = await decodeHeic(taking, folder.path(CONVERTED_FILE))
  const { exif, xmp } =
    (picture.hasTags && readNow(readHeic({ size: picture.bytes.length }), picture.bytes)) || {}
  const { segments, lost } = tagSegments({ exif, xmp }, 1)
  const bytes = withSegments(await readConverted(folder), [...segments, ...profile])
  return { bytes, moved: shownPixels(heic), lost }
}

/** Where the pixels of a HEIC are when it is shown. */
function shownPixels({ size, steps }: HeicPicture): PixelChange {
  return steps.reduce(
    (pixels, step) => (typeof step === 'string' ? pixels.turned(ORIENTATIONS[step]) : pixels.cropped(step)),
    PixelChange.none(size),
  )
}

/** The orientation of EXIF that turns a picture likewise. */
const ORIENTATIONS: Readonly<Record<HeicTurn, number>> = {
  left: 8,
  half: 3,
  right: 6,
  'upside-down': 4,
  mirror: 2,
}

/** They follow SOI. */
export function withSegments(jpeg: Uint8Array, segments: readonly Uint8Array[]): Uint8Array {
  return concatBytes([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}

async function keepJpeg(taking: Taking, jpeg: PlainJpeg, made: MadeJpeg): Promise<Cover> {
  const { folder, edit, picture } = taking
  // The picture is decoded as a whole, so that a damaged one is refused.
  await decode(taking, ownThumbnailArgs(jpeg.size, folder.path(THUMBNAIL_FILE)), jpeg.stripped)
  const map = await gainMapOf(taking, jpeg)
  return {
    cover: jpeg.bytes,
    thumbnail: await folder.read(THUMBNAIL_FILE),
    orientation: turnedOrientation(jpeg.orientation, edit.rotate),
    hasOwnMetadata: picture.hasTags,
    pixels: made.moved,
    lost: [...(picture.lost ?? []), ...(made.lost ?? []), ...map.lost],
    gainMap: map.gainMap,
  }
}

type OwnMap = { readonly gainMap?: Uint8Array | undefined; readonly lost: readonly MetadataLoss[] }

/** The gain map of a photo's own picture. @param edits what is done to it; undefined: it stays as it is */
async function gainMapOf(
  taking: Taking,
  jpeg: PlainJpeg,
  edits: typeof editedGainMap = async (_task, map) => map,
): Promise<OwnMap> {
  const { picture } = taking
  if (!picture.isOfPhoto) return { lost: [] }
  const own = await ownGainMap(taking, picture.bytes, jpeg.bytes)
  const gainMap = own && (await edits(taking, own, jpeg))
  return { gainMap, lost: lostPictures(picture.bytes, jpeg.bytes, gainMap !== undefined) }
}

async function editJpeg(taking: Taking, jpeg: PlainJpeg, made: MadeJpeg): Promise<Cover> {
  const { folder, edit, source, picture } = taking
  const { size, orientation, stripped } = jpeg
  const shown = isSideways(orientation) ? turned(size) : size
  const filters = [...uprightFilters(orientation), ...editFilters(edit, source, shown)]
  await decode(taking, ownJpegArgs(filters, stillFiles(folder)), stripped)
  const { cover, thumbnail } = await readStills(taking)
  const map = await gainMapOf(taking, jpeg, editedGainMap)
  const { jpeg: carried, lost } = carryHeader(jpeg.bytes, cover)
  const before = made.moved ?? PixelChange.none(size)
  return {
    cover: picture.hasTags ? carried : withSegments(cover, lost.includes('profile') ? [] : jpeg.profile),
    thumbnail,
    gainMap: map.gainMap,
    hasOwnMetadata: picture.hasTags,
    pixels: editedPixels(before.turned(orientation), edit, source),
    lost: [...(picture.lost ?? []), ...(made.lost ?? []), ...lost, ...map.lost],
  }
}

/** The picture is to blame when ffmpeg cannot read it. */
function decode(taking: Taking, args: readonly string[], picture: FfmpegTask['stdin']) {
  return runFfmpeg(taking, args, picture, () => refusal(taking.picture, UNDECODABLE))
}

const UNDECODABLE = 'cannot be decoded: it is damaged, or has too many pixels. Send another one'
const TOO_LARGE = `has more than ${MAX_JPEG_PIXELS / 1e6} million pixels. Make it smaller`
const NO_COLOURS = 'is a HEIC whose colours are of a kind that cannot be converted here. Send a JPEG'
const NO_HEIC = 'is damaged, or a HEIC or AVIF of a kind that cannot be decoded here. Send a JPEG'

/** @param why and what to do */
function refusal({ name }: OwnPicture, why: string): ServiceError {
  return new ServiceError('unprocessable', (nameOf) => `${nameOf(name)} ${why}, or leave it out.`)
}
