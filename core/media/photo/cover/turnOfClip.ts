import { viewOf } from '@lantern-room/base/bytes'
import type { Size } from '@lantern-room/formats'
import {
  type HeicStep,
  isHeicHead,
  readHeicPicture,
  readPlainJpeg,
  shownSize,
} from '@lantern-room/formats/pictures'
import type { Display } from '@lantern-room/mp4'
import { readIndex, videoTrack } from '@lantern-room/mp4'
import { untrustedMovie } from '#media/ffmpeg/ffmpegInput'
import type { FfmpegRun } from '#media/ffmpeg/requireSuccess'
import { constantRateOf } from '#media/ffmpeg/unindexed'
import { isSideways, type Rotation, turned, turnedOrientation, uprightFilters } from '#media/pictureEdit'
import type { FfmpegOutcome, FfmpegTask } from '#media/ports'
import { chooseTurn, GRAY_SIDE } from './chooseTurn'
import { originalTries } from './coverArgs'
import { decodeFrame } from './coverGroup'
import { heicInput, isTooLarge } from './heicArgs'
import { shownColours } from './heicColours'
import { JPEG_INPUT } from './ownCoverArgs'
import type { CoverMaterials } from './takeCover'

type Comparing = FfmpegRun & Pick<CoverMaterials, 'original'>

/**
 * How many degrees clockwise the video of a photo has to be turned to lie as the photo's own picture does: an editor that turns a photo
 * leaves its video as it was. They are decoded and compared only where one is upright and the other is not, or the photo says another
 * turn than its video.
 * @param picture of a photo: a JPEG or a HEIC
 * @param frame which the picture shows, of the whole original
 * @returns 0 where it is not clear
 * @throws what the source throws; ServiceError `unavailable`
 * @see docs/decisions.md, D195
 */
export async function turnOfClip(
  comparing: Comparing,
  picture: Uint8Array,
  frame: number,
): Promise<Rotation> {
  const { bytes, traits } = comparing.original
  if (traits.kind !== 'video') return 0
  const still = stillOf(picture)
  const { movie } = await readIndex(bytes)
  const track = movie && videoTrack(movie, traits.stream, traits.streamId)
  if (!still || !track) return 0
  const orientation = orientationOf(track.display)
  const video = isSideways(orientation) ? turned(track) : track
  if (still.orientation === orientation && isUpright(still.size) === isUpright(video)) return 0
  const shown = await grayStill(comparing, still)
  const moment = shown && (await grayFrame(comparing, frame))
  const shapes = { still: shapeOf(still.size), frame: shapeOf(video) }
  return moment ? chooseTurn(shown, moment, shapes) : 0
}

type Still = {
  /** As it is shown. */
  readonly size: Size
  /** That of EXIF that turns it likewise; undefined where it is mirrored. */
  readonly orientation: number | undefined
  /** Decodes it to a small grey picture that is as it is shown. */
  readonly args: readonly string[]
  readonly stdin: FfmpegTask['stdin']
}

/** @returns undefined when it is damaged or too large */
function stillOf(picture: Uint8Array): Still | undefined {
  if (isHeicHead(picture)) {
    const heic = readHeicPicture(picture)
    const colours = heic && shownColours(heic)
    if (!heic || !colours || isTooLarge(heic)) return undefined
    return {
      size: shownSize(heic.size, heic.steps),
      orientation: orientationAfter(heic.steps),
      args: [...heicInput(heic, colours, TO_GRAY), ...GRAY_OUTPUT],
      stdin: heic.stream,
    }
  }
  const jpeg = readPlainJpeg(picture)
  if (!jpeg) return undefined
  const { size, orientation, stripped } = jpeg
  return {
    size: isSideways(orientation) ? turned(size) : size,
    orientation,
    args: [...[...JPEG_INPUT, '-vf', [...TO_GRAY, ...uprightFilters(orientation)].join(',')], ...GRAY_OUTPUT],
    stdin: stripped,
  }
}

function orientationAfter(steps: readonly HeicStep[]): number | undefined {
  let orientation = 1
  for (const step of steps) {
    if (step === 'mirror' || step === 'upside-down') return undefined
    if (typeof step === 'string') orientation = turnedOrientation(orientation, TURNS[step])
  }
  return orientation
}

const TURNS = { left: 270, half: 180, right: 90 } as const

/** The orientation of EXIF that turns a picture as its track does. */
function orientationOf({ matrix }: Display): number {
  const [a, b] = [viewOf(matrix).getInt32(0), viewOf(matrix).getInt32(4)]
  if (a !== 0) return a > 0 ? 1 : 3
  return b > 0 ? 6 : 8
}

function shapeOf({ width, height }: Size): number {
  return width / height
}

function isUpright({ width, height }: Size): boolean {
  return height > width
}

const TO_GRAY = [`scale=${GRAY_SIDE}:${GRAY_SIDE}:flags=area`, 'format=gray']
const GRAY_OUTPUT = ['-frames:v', '1', '-pix_fmt', 'gray', '-f', 'rawvideo', 'pipe:1']

async function grayStill(
  { ffmpeg, timeoutMs, signal }: Comparing,
  { args, stdin }: Still,
): Promise<Uint8Array | undefined> {
  const outcome = await ffmpeg.run({ args, stdin, timeoutMs, signal })
  return isGray(outcome) ? outcome.stdout : undefined
}

async function grayFrame(comparing: Comparing, frame: number): Promise<Uint8Array | undefined> {
  const { traits } = comparing.original
  const output = (graph: string) => ['-filter_complex', `${graph}[gray]`, '-map', '[gray]', ...GRAY_OUTPUT]
  const chain = (at: number) =>
    [
      ...[constantRateOf(traits), 'tpad=stop_mode=clone:stop_duration=1'],
      ...[`trim=start_frame=${at}`, 'setpts=PTS-STARTPTS', ...TO_GRAY],
    ].join(',')
  const args = {
    piped: (at: number) => [...untrustedMovie(), ...output(`[0:v:0]${chain(at)}`)],
    searches: (path: string) =>
      originalTries(path, traits, frame, (pictures) => output(`${pictures};[picture]${chain(frame)}`)),
  }
  return (await decodeFrame(comparing, frame, args, isGray))?.stdout
}

function isGray({ exitCode, stdout }: FfmpegOutcome): boolean {
  return exitCode === 0 && stdout.length === GRAY_SIDE ** 2
}
