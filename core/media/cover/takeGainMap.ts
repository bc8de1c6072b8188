import { viewOf } from '#core/bytes'
import { computeGainMap, encodeGainMap } from '#core/formats/motionPhoto/gainMap'
import type { Size } from '#core/formats/source/facts'
import { runFfmpeg } from '../ffmpeg/requireSuccess'
import { editedSize, UNEDITED } from '../pictureEdit'
import type { FfmpegOutcome } from '../ports'
import { decodeFrame } from './coverGroup'
import { gainMapJpegArgs, type LightPicture, lightTries, pipedLightArgs, renditionArgs } from './lightArgs'
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
  const { edit = UNEDITED } = taking
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
    piped: (at: number) => pipedLightArgs(traits, at, picture),
    searches: (path: string) => lightTries(path, traits, frame, picture),
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
