import { concatBytes, hasBytesAt, latin1 } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { EXIF_MARK } from '#core/formats/exif/exif'
import { patchExif } from '#core/formats/exif/patchExif'
import { type PlainJpeg, readPlainJpeg } from '#core/formats/exif/plainJpeg'
import { isHeicHead, readHeic } from '#core/formats/heic/heic'
import { shownSize } from '#core/formats/heic/heicSteps'
import { readHeicPicture } from '#core/formats/heic/readHeicPicture'
import { APP1, encodeSegment } from '#core/formats/jpeg/jpeg'
import type { Size } from '#core/formats/jpeg/jpegFrame'
import { profileSegments } from '#core/formats/jpeg/stripJpeg'
import { readNow } from '#core/formats/source/reading'
import { XMP_MARK } from '#core/formats/xmp/xmp'
import { runFfmpeg } from '../ffmpeg/requireSuccess'
import { editFilters, isSideways, turned, turnedOrientation, uprightFilters } from '../pictureEdit'
import type { Ffmpeg, FfmpegTask } from '../ports'
import { editedGainMap } from './editGainMap'
import { heicToJpegArgs, isTooLarge } from './heicArgs'
import { shownColours } from './heicColours'
import { MAX_JPEG_PIXELS, ownJpegArgs, ownThumbnailArgs, toJpegArgs } from './ownCoverArgs'
import { type Cover, type CoverTask, readStills, stillFiles, THUMBNAIL_FILE } from './takeCover'
import { ownGainMap } from './takeGainMap'

/** A finished picture that becomes the cover: JPEG, PNG, WebP or HEIC. */
export type OwnPicture = {
  readonly bytes: Uint8Array
  /** Its name in messages: a field, or "The picture of the photo". */
  readonly name: string
  /** Whether a picture of the video may take its place where it cannot be decoded. */
  readonly isOptional?: boolean
  /** Whether it is a photo's own: a JPEG, with its gain map after it if there is one, or a HEIC. */
  readonly isOfPhoto?: boolean
  readonly keepsHeic?: boolean
}

export type OwnCoverTask = CoverTask & {
  /** Size of the video as it is shown, in whose pixels a crop counts. */
  readonly source: Size
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
  task: OwnCoverTask,
): Promise<Cover> {
  const taking = { ...task, ffmpeg, picture }
  checkPictureHead(picture)
  if (isKept(picture)) {
    await decodeHeic(taking, undefined)
    return { cover: picture.bytes, thumbnail: new Uint8Array(), hasOwnMetadata: true, isHeic: true }
  }
  const isJpeg = hasBytesAt(picture.bytes, 0, JPEG)
  const jpeg = readPlainJpeg(isJpeg ? picture.bytes : await convertToJpeg(taking))
  if (!jpeg) throw refusal(picture, UNDECODABLE)
  const { width, height } = jpeg.size
  if (width * height > MAX_JPEG_PIXELS) throw refusal(picture, TOO_LARGE)
  return task.edit.crop || !jpeg.isCommon ? editJpeg(taking, jpeg) : keepJpeg(taking, jpeg)
}

/** Refuses by the first bytes what cannot become a cover. @throws ServiceError `invalid-request`, `unsupported-media` */
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
/** After a segment's length. */
const MAX_SEGMENT_BYTES = 65_533

async function convertToJpeg(taking: Taking): Promise<Uint8Array> {
  const { picture, folder } = taking
  if (isHeicHead(picture.bytes)) return convertHeic(taking)
  const format = hasBytesAt(picture.bytes, 0, PNG) ? 'png_pipe' : 'webp_pipe'
  await decode(taking, toJpegArgs(format, folder.path(CONVERTED_FILE)), picture.bytes)
  return folder.read(CONVERTED_FILE)
}

/** Whether a cover stays a HEIC. It is decoded all the same, so that a damaged one is refused. */
export function isKept({ bytes, keepsHeic = false }: OwnPicture): boolean {
  return keepsHeic && isHeicHead(bytes)
}

/** @param output undefined: it is decoded only. @returns its size as it is shown, and segments with its colour profile */
async function decodeHeic(taking: Taking, output: string | undefined): Promise<DecodedHeic> {
  const { picture } = taking
  const heic = readHeicPicture(picture.bytes)
  if (!heic) throw refusal(picture, NO_HEIC)
  if (isTooLarge(heic)) throw refusal(picture, TOO_LARGE)
  const colours = shownColours(heic)
  if (!colours) throw refusal(picture, NO_COLOURS)
  await decode(taking, heicToJpegArgs(heic, colours, output), heic.stream)
  return {
    size: shownSize(heic.size, heic.steps),
    profile: colours.profile ? profileSegments(colours.profile) : [],
  }
}

type DecodedHeic = { readonly size: Size; readonly profile: readonly Uint8Array[] }

/** @returns a JPEG that is upright, with the picture's metadata and colour profile */
async function convertHeic(taking: Taking): Promise<Uint8Array> {
  const { picture, folder } = taking
  const { size, profile } = await decodeHeic(taking, folder.path(CONVERTED_FILE))
  return withSegments(await folder.read(CONVERTED_FILE), [...heicMetadata(picture, size), ...profile])
}

/** EXIF and XMP of a photo as segments of a JPEG that is upright. */
function heicMetadata({ bytes, isOfPhoto }: OwnPicture, size: Size): Uint8Array[] {
  const { exif, xmp } = (isOfPhoto && readNow(readHeic({ size: bytes.length }), bytes)) || {}
  const upright = exif && patchExif(exif, { isXiaomi: false, comment: undefined, orientation: 1, size })
  const payloads = [
    ...(upright ? [concatBytes([EXIF_MARK, upright])] : []),
    ...(xmp === undefined ? [] : [concatBytes([XMP_MARK, new TextEncoder().encode(xmp)])]),
  ]
  return payloads
    .filter(({ length }) => length <= MAX_SEGMENT_BYTES)
    .map((payload) => encodeSegment(APP1, payload))
}

/** They follow SOI. */
export function withSegments(jpeg: Uint8Array, segments: readonly Uint8Array[]): Uint8Array {
  return concatBytes([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}

async function keepJpeg(taking: Taking, jpeg: PlainJpeg): Promise<Cover> {
  const { folder, edit, picture } = taking
  // The picture is decoded as a whole, so that a damaged one is refused.
  await decode(taking, ownThumbnailArgs(jpeg.size, folder.path(THUMBNAIL_FILE)), jpeg.stripped)
  return {
    cover: jpeg.bytes,
    thumbnail: await folder.read(THUMBNAIL_FILE),
    orientation: turnedOrientation(jpeg.orientation, edit.rotate),
    hasOwnMetadata: picture.isOfPhoto,
    gainMap: picture.isOfPhoto ? await ownGainMap(taking, picture.bytes, jpeg.bytes) : undefined,
  }
}

async function editJpeg(taking: Taking, jpeg: PlainJpeg): Promise<Cover> {
  const { folder, edit, source, picture } = taking
  const { size, orientation, stripped, profile } = jpeg
  const shown = isSideways(orientation) ? turned(size) : size
  const filters = [...uprightFilters(orientation), ...editFilters(edit, source, shown)]
  await decode(taking, ownJpegArgs(filters, stillFiles(folder)), stripped)
  const { cover, thumbnail } = await readStills(taking)
  const map = picture.isOfPhoto ? await ownGainMap(taking, picture.bytes, jpeg.bytes) : undefined
  const gainMap = map && (await editedGainMap(taking, map, jpeg))
  return { cover: withSegments(cover, profile), thumbnail, gainMap }
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
