import { readIndex, videoTrack } from '@lantern-room/mp4'
import { readFrameGroup } from '@lantern-room/mp4/clip'
import type { ByteSource } from '@lantern-room/mp4/source'
import type { FfmpegRun } from '#media/ffmpeg/requireSuccess'
import { refusals } from '#media/formatRefusal'
import { FPS, isTooLate } from '#media/frames'
import type { FfmpegOutcome } from '#media/ports'
import type { Material } from '#media/sessions/sessionFiles'
import type { OriginalTraits } from '#media/traits'

/**
 * Decodes a frame of an original: from the pictures around it alone where that is possible, else ffmpeg searches in the whole file.
 * @param frame of the whole original, at 30 a second
 * @param args.piped for a movie on standard input that has only these pictures, `frame` being its own
 * @param args.searches for the file: alternatives, of which the next is tried while `isTooLate` is true
 * @param isDone whether a run has given what is wanted
 * @returns the run that has; undefined when none has
 */
export async function decodeFrame(
  {
    ffmpeg,
    timeoutMs,
    signal,
    original,
  }: FfmpegRun & {
    readonly original: Material & { readonly traits: OriginalTraits }
  },
  frame: number,
  args: { piped(frame: number): string[]; searches(path: string): string[][] },
  isDone: (outcome: FfmpegOutcome) => boolean | Promise<boolean>,
): Promise<FfmpegOutcome | undefined> {
  const group = await readCoverGroup(original.bytes, original.traits, frame)
  if (group) {
    const piped = args.piped(frame - group.shiftFrames)
    const outcome = await ffmpeg.run({ args: piped, stdin: group.movie, timeoutMs, signal })
    if (await isDone(outcome)) return outcome
  }
  let outcome: FfmpegOutcome | undefined
  for (const search of args.searches(await original.path())) {
    outcome = await ffmpeg.run({ args: search, timeoutMs, signal })
    if (outcome.exitCode !== 0 || !isTooLate(outcome.stderr, frame)) break
  }
  return outcome && (await isDone(outcome)) ? outcome : undefined
}

/**
 * Reads the pictures around a frame of an MP4 or MOV, as an MP4 of their own.
 * @param frame of the whole original, at 30 a second
 * @returns as `readFrameGroup`; undefined, too, for what is no MP4 with times that begin at 0
 * @throws what the source throws
 */
async function readCoverGroup(
  source: ByteSource,
  traits: OriginalTraits,
  frame: number,
): ReturnType<typeof readFrameGroup> {
  const { kind, stream, streamId, isSeekable, startsAtZero } = traits
  if (kind !== 'video' || !isSeekable || !startsAtZero) return undefined
  const { movie } = await readIndex(source)
  const track = movie && videoTrack(movie, stream, streamId)
  return track && refusals(readFrameGroup(source, track, frame, FPS))
}
