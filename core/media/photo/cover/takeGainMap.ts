import { latin1, viewOf } from '@lantern-room/base/bytes'
import type { Size } from '@lantern-room/formats'
import { appleStops, computeGainMap, encodeGainMap, headerOf } from '@lantern-room/formats/gainMap'
import type { MetadataLoss } from '@lantern-room/formats/make'
import { isHeicHead, readHeicKinds, readHeicPicture, walkJpeg } from '@lantern-room/formats/pictures'
import { plainInput, rawInput, untrustedMovie } from '#media/ffmpeg/ffmpegInput'
import { toLinearLight } from '#media/ffmpeg/filters'
import { type FfmpegRun, runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { constantRateOf } from '#media/ffmpeg/unindexed'
import { editedSize, editFilters, type PictureEdit } from '#media/pictureEdit'
import type { FfmpegOutcome } from '#media/ports'
import type { HdrTransfer, OriginalTraits } from '#media/traits'
import { originalTries } from './coverArgs'
import { decodeFrame } from './coverGroup'
import { heicToJpegArgs, isTooLarge } from './heicArgs'
import { shownColours } from './heicColours'
import { changedJpegArgs } from './ownCoverArgs'
import type { CoverDependencies, CoverMaterials, CoverTask } from './takeCover'

/** Why a photo has no gain map although one was asked for. */
export const GAIN_MAP_PROBLEMS = ['standard-range', 'profile', 'edited', 'not-found'] as const

export type GainMapProblem = (typeof GAIN_MAP_PROBLEMS)[number]

export type GainMapResult =
  | { readonly gainMap: Uint8Array; readonly problem?: undefined }
  | { readonly gainMap?: undefined; readonly problem: GainMapProblem }

type Taking = Pick<CoverDependencies, 'ffmpeg'> & Pick<CoverMaterials, 'original'> & CoverTask

/** A map has a quarter of the cover's pixels each way. */
const SCALE = 4

const COVER_FILE = 'rendition.jpg'

/**
 * Makes the gain map of a cover: from the light of the same frame in the original, of high dynamic range (PQ or HLG), and the
 * cover as it is.
 * @param coverFrame of the preview
 * @param cover JPEG, of the size of the original after the task's edit
 * @returns the map's JPEG, or why there is none
 * @throws ServiceError `timeout`, `internal`, `unavailable`
 */
export async function takeGainMap(
  taking: Taking,
  coverFrame: number,
  cover: Uint8Array,
): Promise<GainMapResult> {
  const { traits } = taking.original
  const { hdrTransfer: transfer, size: full } = traits
  if (!transfer || traits.kind !== 'video') return { problem: 'standard-range' }
  const { edit } = taking
  const edited = editedSize(edit, full)
  const size = { width: Math.ceil(edited.width / SCALE), height: Math.ceil(edited.height / SCALE) }
  const light = await takeLight(taking, traits.firstFrame + coverFrame, { size, transfer, edit })
  if (!light) return { problem: 'not-found' }
  const path = await taking.folder.write(COVER_FILE, cover)
  const rendition = await runFfmpeg(taking, renditionArgs(path, size))
  const map = computeGainMap(light, rendition.stdout, size)
  const { stdout: jpeg } = await runFfmpeg(taking, gainMapJpegArgs(size), map.pixels)
  const gainMap = encodeGainMap(map, jpeg)
  return gainMap ? { gainMap } : { problem: 'not-found' }
}

/** @returns undefined when the frame cannot be decoded */
async function takeLight(
  taking: Taking,
  frame: number,
  picture: LightPicture,
): Promise<Float32Array | undefined> {
  const { traits } = taking.original
  const args = {
    piped: (at: number) => [...untrustedMovie(), ...lightOutput(`[0:v:0]${lightChain(traits, at, picture)}`)],
    searches: (path: string) =>
      originalTries(path, traits, frame, (pictures) =>
        lightOutput(`${pictures};[picture]${lightChain(traits, frame, picture)}`),
      ),
  }
  const isLight = (outcome: FfmpegOutcome) => floatsOf(outcome, picture.size) !== undefined
  const outcome = await decodeFrame(taking, frame, args, isLight)
  return outcome && floatsOf(outcome, picture.size)
}

const PLANES = 3
const FLOAT_BYTES = 4

function floatsOf({ exitCode, stdout }: FfmpegOutcome, { width, height }: Size): Float32Array | undefined {
  const count = width * height * PLANES
  if (exitCode !== 0 || stdout.length !== count * FLOAT_BYTES) return undefined
  const view = viewOf(stdout)
  return Float32Array.from({ length: count }, (_, i) => view.getFloat32(i * FLOAT_BYTES, true))
}

/** A picture of light, in planes of floats on standard output. */
type LightPicture = {
  /** After the edit. */
  readonly size: Size
  readonly transfer: HdrTransfer
  readonly edit: PictureEdit
}

function lightChain(traits: OriginalTraits, frame: number, picture: LightPicture): string {
  const { size, transfer, edit } = picture
  const timing = `${constantRateOf(traits)},tpad=stop_mode=clone:stop_duration=1,trim=start_frame=${frame},setpts=PTS-STARTPTS`
  // Cut at full size, so that each pixel of the map lies where it does in the cover.
  const edited = editFilters(edit, traits.size, traits.size)
  return [timing, ...edited, toLinearLight(traits, size, transfer)].join(',')
}

function lightOutput(graph: string): string[] {
  return [
    ...['-filter_complex', `${graph}[light]`, '-map', '[light]', '-frames:v', '1'],
    ...['-pix_fmt', 'gbrpf32le', '-f', 'rawvideo', 'pipe:1'],
  ]
}

/** A finished cover as RGB of 8 bits on standard output, smaller. */
function renditionArgs(cover: string, { width, height }: Size): string[] {
  return [
    ...plainInput('mjpeg', [], cover),
    ...['-vf', `scale=${width}:${height}:flags=bicubic:in_range=pc:out_range=pc`],
    ...['-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', 'pipe:1'],
  ]
}

const GAIN_MAP_QUALITY = 3

/** A gain map's JPEG on standard output, from its values on standard input. */
function gainMapJpegArgs(size: Size): string[] {
  return [
    ...rawInput('gray', size),
    ...['-vf', 'scale=in_range=pc:out_range=pc,format=yuvj420p', '-frames:v', '1', '-c:v', 'mjpeg'],
    ...['-q:v', String(GAIN_MAP_QUALITY), '-f', 'mjpeg', 'pipe:1'],
  ]
}

const MAP_FILE = 'gain-map.jpg'
const APPLE_GAIN_MAP = 'urn:com:apple:photo:2020:aux:hdrgainmap'
/** Of a map that says for itself how it brightens the picture: in XMP, or as ISO 21496-1 has it. */
const GAINS = /:GainMapMax\b|urn:iso:std:iso:ts:21496/

/** Auxiliary pictures of a HEIC by their names. */
const GAIN_MAPS = /hdrgainmap$|^tmap$/
const DEPTH_MAPS = /:auxid:2$|:depth$|disparity/

/**
 * What of a photo's other pictures is not in a JPEG that is made of it.
 * @param photo JPEG with its map behind it, or HEIC
 * @param picture its JPEG
 * @param hasMap whether that has a gain map
 */
export function lostPictures(photo: Uint8Array, picture: Uint8Array, hasMap: boolean): MetadataLoss[] {
  if (!isHeicHead(photo)) return !hasMap && photo.length > picture.length ? ['gain-map'] : []
  const lost = new Set(
    readHeicKinds(photo).map((kind): MetadataLoss => {
      if (GAIN_MAPS.test(kind)) return 'gain-map'
      return DEPTH_MAPS.test(kind) ? 'depth' : 'pictures'
    }),
  )
  return [...lost].filter((loss) => loss !== 'gain-map' || !hasMap)
}

/**
 * The gain map of a photo's own picture: as it is, or Apple's with the values and numbers of an Ultra HDR image.
 * @param photo JPEG with its map behind it, or HEIC
 * @param picture its JPEG, with the photo's metadata
 * @returns undefined where there is none, it cannot be decoded, or its numbers are not known
 */
export async function ownGainMap(
  { ffmpeg, timeoutMs, signal, folder }: FfmpegRun & Pick<CoverTask, 'folder'>,
  photo: Uint8Array,
  picture: Uint8Array,
): Promise<Uint8Array | undefined> {
  const heic = readHeicPicture(photo, APPLE_GAIN_MAP)
  const jpeg = photo.subarray(picture.length)
  if (!heic && walkJpeg(jpeg)?.end !== jpeg.length) return undefined
  if (!heic && GAINS.test(latin1(jpeg))) return jpeg
  const stops = appleStops(headerOf(picture).metadata.exif, latin1(heic ? photo : jpeg))
  const colours = heic && shownColours(heic)
  if (!stops || (heic && (isTooLarge(heic) || !colours))) return undefined
  const path = folder.path(MAP_FILE)
  const filters = [gainsFilter(stops)]
  const [args, stdin] =
    heic && colours
      ? [heicToJpegArgs(heic, colours, path, filters), heic.stream]
      : [changedJpegArgs(filters, path), jpeg]
  const { exitCode } = await ffmpeg.run({ args, stdin, timeoutMs, signal })
  if (exitCode !== 0) return undefined
  return encodeGainMap({ min: 0, max: stops, offset: 0 }, await folder.read(MAP_FILE))
}

/** From Apple's values, which are a factor's share in the curve of BT.709, to shares of its logarithm. */
function gainsFilter(stops: number): string {
  const share = 'if(lt(val,20.655),val/255/4.5,pow((val/255+0.099)/1.099,1/0.45))'
  return `lut=c0='255*log(1+${2 ** stops - 1}*${share})/log(2)/${stops}+0.5'`
}
