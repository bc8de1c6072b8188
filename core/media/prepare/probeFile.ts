import { ServiceError } from '#core/errors'
import { untrustedInput } from '../ffmpeg/ffmpegInput'
import type { Ffmpeg, FfmpegOutcome } from '../ports'
import { explainRefusal, isOutOfSpace, type Probe, parseProbe, probeArgs, type Reading } from './probe'
import { timelineOf } from './timeline'

type Means = { readonly ffmpeg: Ffmpeg; readonly timeoutMs: number; readonly signal: AbortSignal }

/**
 * Looks at an upload's first picture and its sound.
 * @throws ServiceError as `explainRefusal` words it, when no picture can be decoded
 */
export async function probeFile(path: string, means: Means): Promise<Probe> {
  const first = await probeWith(path, { stream: 0, decoder: undefined }, means)
  const { movingStream: stream } = first
  const probe = stream === 0 ? first : await probeWith(path, { stream, decoder: undefined }, means)
  if (probe.hasAlpha || !probe.alphaDecoder) return probe
  // Not every ffmpeg has that decoder; without it the transparency is not seen, and the picture still is.
  return probeWith(path, { stream, decoder: probe.alphaDecoder }, means).catch((error) => {
    means.signal.throwIfAborted()
    if (error instanceof ServiceError && error.code === 'timeout') throw error
    return probe
  })
}

async function probeWith(
  path: string,
  reading: Reading,
  { ffmpeg, timeoutMs, signal }: Means,
): Promise<Probe> {
  const outcome = await ffmpeg.run({ args: probeArgs(path, reading), timeoutMs, signal })
  if (outcome.exitCode !== 0) throw explainRefusal(outcome.stderr, outcome.exitCode)
  try {
    return { ...parseProbe(outcome.stderr), ...reading }
  } catch {
    throw explainRefusal(outcome.stderr, outcome.exitCode)
  }
}

/** The length of an animated image to the hundredth: what the packets say, the last one's delay included. */
export async function animationFrames(
  path: string,
  { stream }: Probe,
  maxSeconds: number,
  { ffmpeg, timeoutMs, signal }: Means,
): Promise<number> {
  const copy = ['-map', `0:V:${stream}`, '-c', 'copy', '-f', 'framecrc', 'pipe:1']
  const args = [...untrustedInput(path, { maxSeconds }), ...copy]
  const outcome = await ffmpeg.run({ args, timeoutMs, signal })
  mustSucceed(outcome)
  return timelineOf(new TextDecoder().decode(outcome.stdout), maxSeconds)
}

/** @throws ServiceError as `explainRefusal` words it, when ffmpeg has not done its work */
export function mustSucceed(outcome: FfmpegOutcome): void {
  if (outcome.exitCode !== 0 || isOutOfSpace(outcome)) throw explainRefusal(outcome.stderr, outcome.exitCode)
}
