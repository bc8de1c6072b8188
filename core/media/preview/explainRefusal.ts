import { type ErrorCode, ServiceError } from '@lantern-room/base'
import { ffmpegMessages } from '../ffmpeg/requireSuccess'
import { codecRefusal } from '../ffmpeg/undecoded'
import type { FfmpegOutcome } from '../ports'

const UNREADABLE =
  'The file cannot be read as a video: it is damaged, incomplete or of an unknown kind. Try to play it, then send it again.'

const PICTURELESS = 'The file has no moving picture. Send a video or an animated image.'

/** Explanations of ffmpeg's messages for the client. The messages themselves stay in the cause. */
const REFUSALS: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [
    /exceeds specified max pixel count|Picture size \d+x\d+ (exceeds|is invalid)|Cannot allocate memory/,
    'payload-too-large',
    'The pictures of this file are too large: at most 36 megapixels each can be read.',
  ],
  [/matches no streams/, 'unsupported-media', PICTURELESS],
  [
    /Decoder \(codec .*\) not found|no decoder found|Unknown decoder|decoder '\w+' is experimental|Unsupported codec|not implemented|unsupported/i,
    'unsupported-media',
    'The video uses a codec that cannot be read here. Convert it to H.264, H.265, VP9 or AV1 and send it again.',
  ],
]

/** Why a file is refused whose pictures or sound are encrypted. */
export function encrypted(): ServiceError {
  return new ServiceError(
    'unsupported-media',
    'The video is encrypted (copy protection) and cannot be decoded: send a file without protection.',
  )
}

/** Why a file is refused whose colours only Dolby's decoders know: in Dolby Vision of profile 5 they are no YCbCr. */
export function ownLight(): ServiceError {
  return new ServiceError(
    'unsupported-media',
    'The video is Dolby Vision of a profile without a picture for other decoders (profile 5), and its colours would be wrong. Export it as HDR10, HLG or standard range, and send that.',
  )
}

/** Why a file is refused that is cut, or is something else than it says. */
export function unreadable(): ServiceError {
  return new ServiceError('invalid-request', UNREADABLE)
}

/** Why a file is refused that has no video track. */
export function pictureless(): ServiceError {
  return new ServiceError('unsupported-media', PICTURELESS)
}

/** Why ffmpeg refused an upload, for the client. */
export function explainRefusal(outcome: Pick<FfmpegOutcome, 'stderr'>): ServiceError {
  const messages = ffmpegMessages(outcome.stderr)
  const [, code = 'invalid-request', detail = UNREADABLE] =
    REFUSALS.find(([pattern]) => pattern.test(messages)) ?? []
  return codecRefusal(outcome) ?? new ServiceError(code, detail)
}
