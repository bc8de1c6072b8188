import { readCut } from '#core/formats/clip/copySource'
import { cutSource, type SourceCut, type SourceRange } from '#core/formats/clip/cutSource'
import type { SourceProblem } from '#core/formats/clip/sourceProblem'
import { readIndex } from '#core/formats/mp4/readIndex'
import type { ByteSource } from '#core/formats/source/byteSource'
import { FPS } from '../frames'
import type { PictureEdit } from '../pictureEdit'
import type { ClipFrames } from './encodeClipArgs'

export type CopyTask = Pick<SourceRange, 'stream' | 'trackId'> & {
  /** The preview's first frame, counted from the beginning of the original at 30 a second. */
  readonly firstFrame: number
  readonly bytes: ByteSource
  /** Otherwise only AVC is wanted, which every gallery plays. */
  readonly mayBeHevc: boolean
}

/** What is wanted of the original's pictures. */
type Wanted = { readonly plan: ClipFrames; readonly edit: PictureEdit }

type Problem = { readonly problem: SourceProblem; readonly cut?: undefined }

export type FoundSource = {
  readonly cut: SourceCut
  readonly samples: readonly Uint8Array[]
  readonly problem?: undefined
}

/** The pictures of an original that a clip copies, with their bytes, or why it cannot. @throws what the source throws */
export async function findSource(source: CopyTask, wanted: Wanted): Promise<FoundSource | Problem> {
  const { cut, problem } = await chooseCut(source, wanted)
  if (!cut) return { problem }
  const read = await readCut(source.bytes, cut)
  return read.samples ? { cut, samples: read.samples } : { problem: read.problem }
}

/**
 * How many pictures a second the original's own would give a slow clip. A recording of 120 and more stays smooth when it is slowed
 * down; its preview has 30 of them. Only the index is read.
 * @returns undefined where they are not clearly more than the preview's, or cannot be copied
 * @throws what the source throws
 */
export async function sourceRateOf(source: CopyTask, wanted: Wanted): Promise<number | undefined> {
  const { speed, sourceFrames } = wanted.plan
  if (speed >= 1) return undefined
  const { cut } = await chooseCut(source, wanted)
  const perFrame = (cut?.shown.length ?? 0) / sourceFrames
  return perFrame > 1.5 ? Math.round(perFrame * FPS * speed * 10) / 10 : undefined
}

/** Whether the pictures stay as they are, and each is shown once. */
export function isCopyWanted(edit: PictureEdit, repeat = 1): boolean {
  return edit.crop === undefined && repeat === 1
}

async function chooseCut(
  { bytes, stream, trackId, firstFrame, mayBeHevc }: CopyTask,
  wanted: Wanted,
): Promise<{ readonly cut: SourceCut; readonly problem?: undefined } | Problem> {
  const { startFrame, sourceFrames, speed } = wanted.plan
  if (!isCopyWanted(wanted.edit, wanted.plan.repeat)) return { problem: 'edit' }
  const { movie } = await readIndex(bytes)
  if (!movie) return { problem: 'format' }
  const start = (firstFrame + startFrame) / FPS
  const range = { stream, trackId, start, end: start + sourceFrames / FPS, speed }
  const found = cutSource(movie, range, bytes.size)
  return found.cut && !found.cut.isAvc && !mayBeHevc ? { problem: 'codec' } : found
}
