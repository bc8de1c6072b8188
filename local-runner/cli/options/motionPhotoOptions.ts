import { MOTION_PHOTO_PROFILES } from '#core/formats/profiles/profile'
import type { OriginWish } from '#core/media/capture/chooseOrigin'
import { MAX_SPEED, MIN_SPEED } from '#core/media/convert/clip'
import type { ClipQuality } from '#core/media/convert/convertClip'
import { OUTPUT_PROFILES, type OutputProfile } from '#core/media/convert/outputFiles'
import { EXTRACTS } from '#core/media/photos/extractFile'
import type { PictureEdit } from '#core/media/pictureEdit'
import { renderHelp } from '../../commandLine/renderHelp'
import manual from './manual.json'

export type Options = {
  /** Absolute; undefined = standard input. */
  readonly input: string | undefined
  /** Absolute. */
  readonly output: string
  /** Seconds, as are the next two. */
  readonly start: number
  readonly end: number | undefined
  /** Of several videos some may be shorter: whether the clip then ends with the video. */
  readonly mayEndEarlier?: boolean
  readonly cover: number | undefined
  /** `auto`: the photo's own picture, where the input is a motion photo and no time is given. */
  readonly coverFrom: 'time' | 'source' | 'auto'
  /** A picture that is the cover; absolute. */
  readonly coverFile: string | undefined
  /** A photo of the phone for which the result is; absolute. */
  readonly donor: string | undefined
  readonly edit: PictureEdit
  readonly repeat: number | undefined
  readonly speed: number
  readonly profile: OutputProfile
  /** Otherwise a donor decides. */
  readonly isProfileGiven: boolean
  readonly mute: boolean
  readonly quality: ClipQuality
  readonly hdr: boolean
  readonly origin: OriginWish
  readonly force: boolean
  readonly json: boolean
  readonly quiet: boolean
}

/** Options for a video that is a file. */
export type VideoOptions = Options & { readonly input: string }

/** Values by the names of options; of a switch the empty text. */
export type Given = ReadonlyMap<keyof typeof manual.make.options, string>

/** The manual of the program, or of one of its commands; at most 80 columns wide. */
export function helpText(about: keyof typeof manual, version = ''): string {
  const { usage, options, notes, defaultColumn } = manual[about]
  const values = {
    version,
    minSpeed: MIN_SPEED,
    maxSpeed: MAX_SPEED,
    profiles: OUTPUT_PROFILES.join(', '),
    photoProfiles: MOTION_PHOTO_PROFILES.join(', '),
    extracts: EXTRACTS.join(', '),
  }
  const parts = [usage.join('\n'), options, notes.join('\n')]
  return renderHelp(parts, { textColumn: 22, defaultColumn, values })
}
