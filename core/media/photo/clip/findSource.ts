import { readIndex } from '@lantern-room/mp4'
import { cutSource, readPictures } from '@lantern-room/mp4/clip'
import type { ByteSource } from '@lantern-room/mp4/source'
import { refusals } from '#media/formatRefusal'
import { FPS } from '#media/frames'
import type { PictureEdit } from '#media/pictureEdit'
import type { OriginalTraits } from '#media/traits'
import { type ClipFrames, copiedSeconds } from './encodeClipArgs'

/** What is wanted of an original's pictures. */
export type OriginalCut = {
  readonly original: {
    readonly bytes: ByteSource
    readonly traits: Pick<OriginalTraits, 'stream' | 'streamId' | 'firstFrame' | 'size'>
  }
  readonly plan: ClipFrames
  readonly edit: PictureEdit
}

/**
 * The pictures of an original that a clip copies, or why it cannot.
 * @param mayBeHevc otherwise only AVC is wanted, which every gallery plays
 * @throws what the source throws
 */
export async function findSource(task: OriginalCut, mayBeHevc: boolean): ReturnType<typeof readPictures> {
  const { cut, problem } = await chooseCut(task)
  if (!cut) return { problem }
  if (!cut.isAvc && !mayBeHevc) return { problem: 'codec' as const }
  const shown = { speed: task.plan.speed, seconds: copiedSeconds(task.plan) }
  return refusals(readPictures(task.original.bytes, cut, shown))
}

/**
 * How many pictures a second the original's own would give a slow clip. A recording of 120 and more stays smooth when it is slowed
 * down; its preview has 30 of them. Only the index is read.
 * @returns undefined where they are not clearly more than the preview's, or cannot be copied
 * @throws what the source throws
 */
export async function sourceRateOf(task: OriginalCut): Promise<number | undefined> {
  const { speed, sourceFrames } = task.plan
  if (speed >= 1) return undefined
  const { cut } = await chooseCut(task)
  const perFrame = (cut?.shown.length ?? 0) / sourceFrames
  return perFrame > 1.5 ? Math.round(perFrame * FPS * speed * 10) / 10 : undefined
}

/** Whether the pictures stay as they are, and each is shown once. */
export function isCopyWanted(edit: PictureEdit, repeat = 1): boolean {
  return edit.crop === undefined && repeat === 1
}

async function chooseCut({ original: { bytes, traits }, plan, edit }: OriginalCut) {
  if (!isCopyWanted(edit, plan.repeat)) return { problem: 'edit' as const }
  const { movie } = await readIndex(bytes)
  if (!movie) return { problem: 'format' as const }
  const { stream, streamId: trackId, firstFrame } = traits
  const start = (firstFrame + plan.startFrame) / FPS
  const range = { stream, trackId, start, end: start + plan.sourceFrames / FPS, speed: plan.speed }
  return cutSource(movie, range, bytes.size)
}
