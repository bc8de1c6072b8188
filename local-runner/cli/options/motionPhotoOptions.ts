import type { OriginWish } from '#core/media/capture/chooseOrigin'
import { MAX_SPEED, MIN_SPEED } from '#core/media/convert/clip'
import type { ClipQuality } from '#core/media/convert/convertClip'
import { OUTPUT_PROFILES, type OutputProfile } from '#core/media/convert/outputFiles'
import type { PictureEdit } from '#core/media/pictureEdit'
import { COMMON_OPTIONS, type OptionTable } from '../../commandLine/optionTable'
import { renderHelp } from '../../commandLine/renderHelp'
import { ORIGIN_OPTIONS } from './originOptions'

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

export const OPTIONS = {
  start: { value: 'TIME', help: ['begin of the clip'], default: 'begin of the video' },
  end: { value: 'TIME', help: ['end of the clip'], default: "3 s later or the video's end" },
  cover: {
    value: 'TIME',
    help: ['the still picture; source: that of the', 'motion photo, the default if one is given'],
    default: 'the middle of the clip',
  },
  'cover-file': { value: 'FILE', help: ['a JPEG, PNG or WebP as still picture'] },
  speed: { value: 'N', help: [`${MIN_SPEED} to ${MAX_SPEED} times as fast`], default: '1' },
  profile: {
    value: 'NAME',
    help: [OUTPUT_PROFILES.join(', '), 'or a phone: samsung, xiaomi, iphone, ...'],
    default: 'universal',
  },
  donor: {
    value: 'FILE',
    help: ['a motion photo of your phone, whose maker,', 'model and marks the photo then has'],
  },
  crop: {
    value: 'PART',
    help: ['1:1 or another ratio, or WxH or WxH+X+Y', 'pixels of the video, for still and clip'],
  },
  rotate: { value: 'DEGREES', help: ['90, 180 or 270, clockwise'] },
  repeat: { value: 'N', help: ['play the range N times; without sound only'] },
  mute: { help: ['leave the sound out'] },
  quality: {
    value: 'NAME',
    help: ["source: the video's own pictures", 'preview: H.264 at 720p or less'],
    default: 'source if it is H.264',
  },
  hdr: { help: ['an Ultra HDR photo, if the video is HDR (PQ, HLG)'] },
  ...ORIGIN_OPTIONS,
  output: {
    value: 'FILE',
    short: 'o',
    help: ['the JPEG to write; for apple and all', 'a ZIP, for apple also a folder NAME.pvt'],
    default: 'VIDEO_MP.jpg',
  },
  out: { value: 'FOLDER', help: ['for any number of videos: where to write'] },
  force: { short: 'f', help: ['overwrite FILE'] },
  json: { help: ['print the result as a JSON object, not only its path'] },
  quiet: { short: 'q', help: ['show no progress'] },
  ...COMMON_OPTIONS,
} as const satisfies OptionTable

/** Values by the names of options; of a switch the empty text. */
export type Given = ReadonlyMap<keyof typeof OPTIONS, string>

/** The manual, at most 80 columns wide. */
export function helpText(version: string): string {
  const title = `motion-photo ${version}: makes a motion photo of a part of a video or animated image`
  return renderHelp([title, USAGE, OPTIONS, NOTES], { textColumn: 22, defaultColumn: 50 })
}

const USAGE = `  motion-photo [options] VIDEO      VIDEO is a file, or - for standard input
  motion-photo --out FOLDER [options] VIDEO...
  motion-photo inspect|extract|repair ...      of a motion photo: see --help
  motion-photo trial ...                       what does a phone's gallery need`

const NOTES = `
TIME is measured from the start of the video: seconds (1.5), mm:ss.sss or
hh:mm:ss.

Examples
  motion-photo clip.mp4
  motion-photo clip.mp4 --start 1 --end 4 --cover 2 --speed 1 -o out_MP.jpg
  motion-photo --out photos holiday/*.mp4
  motion-photo --start 1:02.5 --speed 0.5 --json -- -odd-name.mov

A video that is called inspect, extract, repair or trial goes after --.

Exit codes
  0  done: the path of the motion photo is on standard output
  1  the video, the range or the output is refused; nothing was written
  2  the command was typed wrong
  3  this machine lacks something: ffmpeg, disk space, a right to write
  130, 143  stopped by Ctrl-C or SIGTERM; nothing was written
`
