import { ServiceError } from '@lantern-room/base'
import type { FfmpegOutcome } from '../ports'
import codecNames from './codecNames.json'
import { isReadPicture } from './decoders'
import { ffmpegMessages } from './requireSuccess'

/** How versions 5 and 7 begin and end their words about it. */
const FAILURE =
  /^(?:Error while opening decoder|Decoder \(codec \S+\) not found) for input stream #0:(\d+)|^\[[av]ist#0:(\d+)\/.*(?:Error while opening decoder|no decoder found for)/m

const NO_DECODER = /not found for input stream|no decoder found for/

/**
 * Which stream ended a run of ffmpeg because it found no decoder for it, or none that it may use.
 * @returns `codec` as ffmpeg names it, `none` for one that it does not know; `tag`: four characters by which the file names it
 */
export function undecodedStream(stderr: string) {
  const failure = FAILURE.exec(ffmpegMessages(stderr))
  const index = failure?.[1] ?? failure?.[2]
  if (index === undefined) return undefined
  const described = new RegExp(
    `^ {2}Stream #0:${index}\\b.*?: (Video|Audio): (\\w+)(?:.*?\\(([\\w .-]{4}) / 0x)?`,
    'm',
  ).exec(stderr)
  const [, kind, codec, tag] = described ?? []
  if (codec === undefined) return undefined
  return { kind, codec, tag: tag?.trim() }
}

/**
 * Why the pictures of a file are not decoded, where it is their codec.
 * @returns ServiceError `unsupported-media`
 */
export function codecRefusal({ stderr }: Pick<FfmpegOutcome, 'stderr'>): ServiceError | undefined {
  const { kind, codec = 'none', tag } = undecodedStream(stderr) ?? {}
  if (kind !== 'Video') return undefined
  const isRead = isReadPicture(codec)
  // Its decoder was there, and refused the picture.
  if (isRead && !NO_DECODER.test(ffmpegMessages(stderr))) return undefined
  const name = codec === 'none' ? (tag ?? 'unknown') : nameOf(codec)
  const reason = isRead ? 'this installation cannot read' : 'is not read here'
  return new ServiceError(
    'unsupported-media',
    `The video uses the codec ${name}, which ${reason}. Convert it to H.264, for example with HandBrake, and send it again.`,
  )
}

/** Common names of codecs that users may encounter, where they differ from ffmpeg's name in capitals. */
const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(codecNames))

/** With ffmpeg's name, by which programs and search engines know it. */
function nameOf(codec: string): string {
  const name = NAMES.get(codec) ?? codec.toUpperCase()
  return name.toLowerCase() === codec ? name : `${name} (${codec})`
}
