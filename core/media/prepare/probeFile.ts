import { ServiceError } from '#core/errors'
import { untrustedInput } from '../ffmpeg/ffmpegInput'
import { requireSuccess } from '../ffmpeg/requireSuccess'
import { seekTries } from '../frames'
import type { Ffmpeg } from '../ports'
import { explainRefusal } from './explainRefusal'
import { type Probe, type ProbeReading, parseProbe, probeArgs } from './probe'
import { timelineOf } from './timeline'

type ProbeTask = { readonly ffmpeg: Ffmpeg; readonly timeoutMs: number; readonly signal: AbortSignal }

/**
 * Reads the traits of one picture of an upload, and of its sound.
 * @param frame the picture from which on the upload will be read, counted at 30 a second; 0 for the first
 * @throws ServiceError as `explainRefusal` returns it, when no picture can be decoded
 */
export async function probeFile(path: string, frame: number, task: ProbeTask): Promise<Probe> {
  const first = await probeBefore(path, frame, task)
  const { movingStream: stream, seekSeconds } = first
  const plain = { stream, decoder: undefined, seekSeconds }
  const probe = stream === 0 ? first : await probeWith(path, plain, task)
  if (probe.hasAlpha || !probe.alphaDecoder) return probe
  // Not every ffmpeg has that decoder. Without it the picture is decoded all the same, only without its transparency.
  return probeWith(path, { ...plain, decoder: probe.alphaDecoder }, task).catch((error) => {
    rethrowUnlessRefused(error, task)
    return probe
  })
}

/** Probes at the key frame before `frame`; where the container's index finds none, earlier, and last from the beginning. */
async function probeBefore(path: string, frame: number, task: ProbeTask): Promise<Probe> {
  for (const seekSeconds of seekTries(frame)) {
    if (seekSeconds === 0) break
    const probe = await probeWith(path, { stream: 0, decoder: undefined, seekSeconds }, task).catch((error) =>
      rethrowUnlessRefused(error, task),
    )
    if (probe && !probe.isSeekable) break
    if (probe && probe.pictureFrame <= frame) return probe
  }
  return probeWith(path, { stream: 0, decoder: undefined, seekSeconds: 0 }, task)
}

/** A refusal of one way to read a file may be followed by another way; the end of the task may not. */
function rethrowUnlessRefused(error: unknown, { signal }: ProbeTask): undefined {
  signal.throwIfAborted()
  if (!(error instanceof ServiceError) || error.code === 'timeout') throw error
}

async function probeWith(
  path: string,
  reading: ProbeReading,
  { ffmpeg, timeoutMs, signal }: ProbeTask,
): Promise<Probe> {
  const outcome = await ffmpeg.run({ args: probeArgs(path, reading), timeoutMs, signal })
  if (outcome.exitCode !== 0) throw explainRefusal(outcome)
  try {
    return { ...parseProbe(outcome.stderr), ...reading }
  } catch {
    throw explainRefusal(outcome)
  }
}

/**
 * The length of an animated image to the hundredth: what the packets say, the last one's delay included.
 * @returns frames at 30 a second; not more than `maxSeconds` of them
 */
export async function animationFrames(
  path: string,
  { stream }: Probe,
  maxSeconds: number,
  { ffmpeg, timeoutMs, signal }: ProbeTask,
): Promise<number> {
  const copy = ['-map', `0:V:${stream}`, '-c', 'copy', '-f', 'framecrc', 'pipe:1']
  const args = [...untrustedInput(path, { maxSeconds }), ...copy]
  const outcome = await ffmpeg.run({ args, timeoutMs, signal })
  requireSuccess(outcome, explainRefusal)
  return timelineOf(new TextDecoder().decode(outcome.stdout), maxSeconds)
}
