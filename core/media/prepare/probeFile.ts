import { ServiceError } from '#core/errors'
import { untrustedInput } from '../ffmpeg/ffmpegInput'
import { requireSuccess } from '../ffmpeg/requireSuccess'
import type { Ffmpeg } from '../ports'
import { explainRefusal } from './explainRefusal'
import { type Probe, parseProbe, probeArgs, type Reading } from './probe'
import { timelineOf } from './timeline'

type ProbeTask = { readonly ffmpeg: Ffmpeg; readonly timeoutMs: number; readonly signal: AbortSignal }

/**
 * Reads the traits of an upload's first picture and its sound.
 * @throws ServiceError as `explainRefusal` returns it, when no picture can be decoded
 */
export async function probeFile(path: string, task: ProbeTask): Promise<Probe> {
  const first = await probeWith(path, { stream: 0, decoder: undefined }, task)
  const { movingStream: stream } = first
  const probe = stream === 0 ? first : await probeWith(path, { stream, decoder: undefined }, task)
  if (probe.hasAlpha || !probe.alphaDecoder) return probe
  // Not every ffmpeg has that decoder. Without it the picture is decoded all the same, only without its transparency.
  return probeWith(path, { stream, decoder: probe.alphaDecoder }, task).catch((error) => {
    task.signal.throwIfAborted()
    if (error instanceof ServiceError && error.code === 'timeout') throw error
    return probe
  })
}

async function probeWith(
  path: string,
  reading: Reading,
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

/** The length of an animated image to the hundredth: what the packets say, the last one's delay included. */
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
