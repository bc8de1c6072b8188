import { viewOf } from '#core/bytes'
import { computeGainMap, encodeGainMap } from '#core/formats/motionPhoto/gainMap'
import type { Size } from '#core/formats/source/facts'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import { isTooLate } from '../frames'
import { editedSize, UNEDITED } from '../pictureEdit'
import type { FfmpegOutcome } from '../ports'
import type { OriginalTraits } from '../traits'
import { gainMapJpegArgs, type LightPicture, lightTries, pipedLightArgs, renditionArgs } from './lightArgs'
import { readCoverGroup } from './readCoverGroup'
import { type CoverDependencies, type CoverMaterials, type CoverTask, runFfmpeg } from './takeCover'

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
  const map = computeGainMap(light, await mustRun(taking, renditionArgs(path, size)), size)
  const gainMap = encodeGainMap(map, await mustRun(taking, gainMapJpegArgs(size), map.pixels))
  return gainMap ? { gainMap } : { problem: 'not-found' }
}

/** @returns undefined when the frame cannot be decoded alone */
async function takeLight(
  taking: Taking,
  frame: number,
  picture: LightPicture,
): Promise<Float32Array | undefined> {
  const { traits, bytes } = taking.original
  const group = await readCoverGroup(bytes, traits, frame)
  const piped =
    group &&
    (await runFfmpeg(taking, pipedLightArgs(traits, frame - group.shiftFrames, picture), group.movie))
  return (
    (piped && floatsOf(piped, picture.size)) ??
    floatsOf(await searchOriginal(taking, traits, frame, picture), picture.size)
  )
}

async function searchOriginal(
  taking: Taking,
  traits: OriginalTraits,
  frame: number,
  picture: LightPicture,
): Promise<FfmpegOutcome | undefined> {
  const path = await taking.original.path()
  for (const args of lightTries(path, traits, frame, picture)) {
    const outcome = await runFfmpeg(taking, args)
    if (outcome.exitCode !== 0 || !isTooLate(outcome.stderr, frame)) return outcome
  }
  return undefined
}

const PLANES = 3
const FLOAT_BYTES = 4

function floatsOf(outcome: FfmpegOutcome | undefined, { width, height }: Size): Float32Array | undefined {
  const bytes = outcome?.stdout
  const count = width * height * PLANES
  if (outcome?.exitCode !== 0 || bytes?.length !== count * FLOAT_BYTES) return undefined
  const view = viewOf(bytes)
  return Float32Array.from({ length: count }, (_, i) => view.getFloat32(i * FLOAT_BYTES, true))
}

/** @returns what ffmpeg writes to standard output */
async function mustRun(taking: Taking, args: readonly string[], stdin?: Uint8Array): Promise<Uint8Array> {
  const outcome = await runFfmpeg(taking, args, stdin)
  requireSuccess(outcome, conversionError)
  return outcome.stdout
}
