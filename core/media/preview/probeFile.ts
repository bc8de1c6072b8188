import { ServiceError } from '@lantern-room/base'
import type { Movie } from '@lantern-room/mp4'
import { videoTrack } from '@lantern-room/mp4'
import { untrustedInput } from '../ffmpeg/ffmpegInput'
import { choosePictures, packetArgs, packetCounts, pictureCandidates } from '../ffmpeg/inputStreams'
import { type FfmpegRun, ffmpegFailure, requireSuccess, runFfmpeg } from '../ffmpeg/requireSuccess'
import { clockArgs, hasJumps } from '../ffmpeg/unindexed'
import { seekTries } from '../frames'
import type { FfmpegOutcome } from '../ports'
import { encrypted, explainRefusal, ownLight } from './explainRefusal'
import { inputsOf, type Probe, type ProbeReading, parseProbe, probeArgs } from './probe'
import { timelineOf } from './timeline'

type ProbeTask = FfmpegRun & {
  /** The index of a video in an MP4 or MOV. */
  readonly movie?: Movie | undefined
}

/**
 * Reads the traits of one picture of an upload, and of its sound.
 * @param frame the picture from which on the upload will be read, counted at 30 a second; 0 for the first
 * @throws ServiceError as `explainRefusal` returns it, when no picture can be decoded
 */
export async function probeFile(path: string, frame: number, task: ProbeTask): Promise<Probe> {
  const first = { ...AT_BEGINNING, seekSeconds: seekTries(frame)[0] ?? 0 }
  const outcome = await runProbe(path, first, task)
  if (ENCRYPTED_MATROSKA.test(outcome.stderr)) throw encrypted()
  if (OWN_LIGHT.test(outcome.stderr)) throw ownLight()
  const stream = await findPictures(path, outcome.stderr, task)
  const probe = await probeBefore(path, stream, frame, task, stream === 0 ? outcome : undefined)
  if (probe.hasAlpha || !probe.namedDecoder) return probe
  // Not every ffmpeg has that decoder. Without it the picture is decoded all the same, only without its transparency.
  const { seekSeconds, namedDecoder: decoder, unindexed } = probe
  return probeWith(path, { stream, decoder, seekSeconds, unindexed }, task).catch((error) => {
    rethrowUnlessRefused(error, task)
    return probe
  })
}

/** The name of the key of a stream, which ffmpeg lists with its metadata, or that the demuxer does not decrypt. */
const ENCRYPTED_MATROSKA = /^ {6,8}enc_key_id +:|^\[matroska,webm .*\] Unsupported encoding type/m

/** Dolby Vision that is compatible with nothing, as ffmpeg describes it in every container. */
const OWN_LIGHT = /DOVI configuration record:.* compatibility id: 0\b/

/** Which video stream is meant. Only where there are several and no index, it takes another run to know. */
async function findPictures(path: string, stderr: string, task: ProbeTask): Promise<number> {
  const candidates = pictureCandidates(inputsOf(stderr))
  if (candidates.length < 2) return candidates[0]?.stream ?? 0
  const { ffmpeg, timeoutMs, signal, movie } = task
  const counts = movie
    ? candidates.map(({ stream, id }) => videoTrack(movie, stream, id)?.samples.count ?? 0)
    : await countPackets()
  return choosePictures(candidates, counts)?.stream ?? 0

  async function countPackets(): Promise<readonly number[]> {
    const { stdout } = await ffmpeg.run({ args: packetArgs(path, candidates), timeoutMs, signal })
    return packetCounts(candidates, new TextDecoder().decode(stdout))
  }
}

/**
 * Probes at the key frame before `frame`; where the container's index finds none, earlier, and last from the beginning.
 * @param first what ffmpeg answered to the first of these tries
 */
async function probeBefore(
  path: string,
  stream: number,
  frame: number,
  task: ProbeTask,
  first: FfmpegOutcome | undefined,
): Promise<Probe> {
  let known = first
  let beginning: Probe | undefined
  for (const seekSeconds of seekTries(frame)) {
    if (seekSeconds === 0) break
    const reading = { ...AT_BEGINNING, stream, seekSeconds, unindexed: beginning?.unindexed }
    let probe = await tryProbe(path, reading, task, known)
    known = undefined
    if (!beginning && probe?.unindexed) {
      beginning = await probeBeginning(path, stream, task)
      if (!beginning.isSeekable) break
      probe = await tryProbe(path, { ...reading, unindexed: beginning.unindexed }, task)
    }
    if (probe && probe.pictureFrame <= frame) return probe
  }
  return beginning ?? probeBeginning(path, stream, task, known)
}

const AT_BEGINNING: ProbeReading = { stream: 0, decoder: undefined, seekSeconds: 0 }

/** Once more where the file turns out to need more than its pictures, or would begin with grey ones. */
async function probeBeginning(
  path: string,
  stream: number,
  task: ProbeTask,
  known?: FfmpegOutcome,
): Promise<Probe> {
  const first = await probeWith(path, { ...AT_BEGINNING, stream }, task, known)
  const { sound, startsGrey } = first.unindexed ?? {}
  const isComplete = sound === undefined && !startsGrey
  const probe = isComplete
    ? first
    : await probeWith(path, { ...AT_BEGINNING, stream, unindexed: first.unindexed }, task)
  if (!probe.mayJump || !(await jumps(path, probe, task))) return probe
  return { ...probe, isSeekable: false, durationSeconds: undefined }
}

/** A file that cannot be listed, or has so many packets that the list is too long, is read from its beginning, too. */
async function jumps(
  path: string,
  { stream, unindexed }: Probe,
  { ffmpeg, timeoutMs, signal }: ProbeTask,
): Promise<boolean> {
  const args = clockArgs(path, stream, unindexed?.sound)
  try {
    const { exitCode, stdout } = await ffmpeg.run({ args, timeoutMs, signal })
    return exitCode !== 0 || hasJumps(new TextDecoder().decode(stdout))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unprocessable') return true
    throw error
  }
}

/** @returns undefined when the file cannot be read this way, but perhaps in another */
function tryProbe(
  path: string,
  reading: ProbeReading,
  task: ProbeTask,
  known?: FfmpegOutcome,
): Promise<Probe | undefined> {
  return probeWith(path, reading, task, known).catch((error) => rethrowUnlessRefused(error, task))
}

/** A refusal of one way to read a file may be followed by another way; the end of the task may not. */
function rethrowUnlessRefused(error: unknown, { signal }: ProbeTask): undefined {
  signal.throwIfAborted()
  if (!(error instanceof ServiceError) || error.code === 'timeout') throw error
}

async function probeWith(
  path: string,
  reading: ProbeReading,
  task: ProbeTask,
  known?: FfmpegOutcome,
): Promise<Probe> {
  const outcome = known ?? (await runProbe(path, reading, task))
  requireSuccess(outcome, explainRefusal)
  try {
    const parsed = parseProbe(outcome.stderr, reading.stream)
    // After a seek, the first picture tells nothing of the beginning.
    const told = reading.seekSeconds > 0 ? reading.unindexed : undefined
    return { ...parsed, ...reading, unindexed: told ?? parsed.unindexed }
  } catch {
    throw ffmpegFailure(outcome, explainRefusal)
  }
}

function runProbe(
  path: string,
  reading: ProbeReading,
  { ffmpeg, timeoutMs, signal }: ProbeTask,
): Promise<FfmpegOutcome> {
  return ffmpeg.run({ args: probeArgs(path, reading), timeoutMs, signal })
}

/**
 * The length of an animated image to the hundredth: what the packets say, the last one's delay included.
 * @returns frames at 30 a second; not more than `maxSeconds` of them
 */
export async function animationFrames(
  path: string,
  { stream }: Probe,
  maxSeconds: number,
  task: ProbeTask,
): Promise<number> {
  const copy = ['-map', `0:V:${stream}`, '-c', 'copy', '-f', 'framecrc', 'pipe:1']
  const args = [...untrustedInput(path, { maxSeconds }), ...copy]
  const { stdout } = await runFfmpeg(task, args, undefined, explainRefusal)
  return timelineOf(new TextDecoder().decode(stdout), maxSeconds)
}
