import { concatBytes, ServiceError } from '@lantern-room/base'
import { assembleMotionPhoto } from '@lantern-room/formats'
import type { MotionPhotoProfile, ProfileTraits } from '@lantern-room/formats/parts'
import {
  normalizeClip,
  photoBaseName,
  readMotionPhoto,
  stampTimes,
  unixTimeOf,
  zipPieces,
} from '@lantern-room/formats/parts'
import { mp4Output } from '../ffmpeg/encodeArgs'
import { OWN_PIPE, SILENCE } from '../ffmpeg/ffmpegInput'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import { type OutputFile, type OutputMaterial, outputFiles } from '../photo/make/outputFiles'
import type { PhotoOfFile } from '../photo/make/photoOfFile'
import type { Ffmpeg, WorkFolder } from '../ports'

/** Another clip, and the moment of it that the still shows. */
type OtherClip = Pick<OutputMaterial, 'clip' | 'presentationTimestampUs'>

export type TrialMaterial = {
  readonly baseline: OutputMaterial & Pick<PhotoOfFile['origin'], 'namedAt'>
  /** Those that could be made. */
  readonly clips: Readonly<Partial<Record<ChangedClip, OtherClip | undefined>>>
}

const REASONS: Readonly<Record<ChangedClip, string>> = {
  hevc: 'this ffmpeg cannot encode HEVC',
  'no-sound': 'the video has no sound',
  silence: 'the video has sound of its own',
  longer: 'the video is not longer, or does not say how long it is',
}

/**
 * Makes the files of a trial one after the other, the list to fill in as the last. They have a camera's names; the seconds are the
 * number of the variant, so that each can be told from the others on the phone.
 */
export function* trialFiles(material: TrialMaterial): Generator<OutputFile> {
  const rows: string[] = []
  for (const [second, [id, variant]] of Object.entries(VARIANTS).entries()) {
    const namedAt = { ...material.baseline.namedAt, second }
    const clip = variant.clip && material.clips[variant.clip]
    if (variant.clip && !clip) {
      rows.push(`${id}: left out, because ${REASONS[variant.clip]}.`, '')
      continue
    }
    const file = fileOf(variant, { ...material.baseline, ...(clip && dated(clip, material)), namedAt })
    rows.push(file.name, `  ${id}: ${variant.differs}`, '  result:                date:', '')
    yield file
  }
  yield { name: 'README.txt', bytes: new TextEncoder().encode([...INTRODUCTION, ...rows].join('\r\n')) }
}

function fileOf(
  { profile = 'universal', changes, name }: Variant,
  material: TrialMaterial['baseline'],
): OutputFile {
  const { namedAt, ...parts } = material
  const base = photoBaseName(namedAt)
  if (profile === 'apple') {
    return {
      name: `${base}.zip`,
      bytes: concatBytes(zipPieces(outputFiles(profile, { ...material, name: base }).files, namedAt)),
    }
  }
  const bytes = assembleMotionPhoto({ ...parts, profile, changes })
  return { name: name?.(base.replace(/^IMG_/, '')) ?? `${base}_MP.jpg`, bytes }
}

/** A clip that ffmpeg has written anew has lost the time of its recording. */
function dated({ clip, presentationTimestampUs }: OtherClip, { baseline }: TrialMaterial): OtherClip {
  const copy = clip.slice()
  if (baseline.takenAt) stampTimes(copy, unixTimeOf(baseline.takenAt))
  return { clip: copy, presentationTimestampUs }
}

/** Takes a motion photo that was just made apart again. @throws ServiceError `internal` */
export function materialOf({
  photo,
  origin,
  presentationTimestampUs,
}: PhotoOfFile): TrialMaterial['baseline'] {
  const { exif, clip, primaryLength } = readMotionPhoto(photo) ?? {}
  if (!exif?.thumbnail || !clip || primaryLength === undefined) {
    throw new ServiceError('internal', 'The motion photo could not be read back.')
  }
  return {
    ...origin,
    cover: photo.subarray(0, primaryLength),
    orientation: exif.orientation,
    thumbnail: exif.thumbnail,
    clip: photo.subarray(clip.offset, clip.offset + clip.length),
    presentationTimestampUs,
    software: exif.software ?? '',
  }
}

const INTRODUCTION = [
  "What does a phone's gallery need? Send these files to the phone as files, not through a chat",
  'program, and open each in the gallery. Each differs from the first one in a single thing.',
  'Results: plays; marked, does not play; still only; not shown. Dates: right; wrong.',
  ...['', 'phone:', 'system and version:', 'gallery and version:', ''],
]

/** Clips that are not the baseline's own. */
export type ChangedClip = 'hevc' | 'no-sound' | 'silence' | 'longer'

/** In what one thing a file differs from the baseline, a photo of the profile `universal`. */
export type Variant = {
  readonly differs: string
  readonly profile?: MotionPhotoProfile | 'apple'
  readonly changes?: Partial<ProfileTraits>
  readonly clip?: ChangedClip
  /** A copy of the photo under a name of another pattern. @param time such as `20260304_050607` */
  readonly name?: (time: string) => string
}

/** In the order of the numbers in the files' names. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  universal: { differs: 'the profile universal: all others are compared with this photo' },
  'no-xiaomi-tag': { changes: { xiaomiTag: false }, differs: "no EXIF tag 0x8897 (Xiaomi's mark)" },
  'no-oppo-comment': { changes: { oppoComment: false }, differs: 'no UserComment oplus_8388608 (ColorOS)' },
  'no-oppo-fields': { changes: { oppoFields: false }, differs: 'no OpCamera fields in XMP (ColorOS)' },
  'no-mpf': { changes: { mpf: false }, differs: 'no MPF index' },
  'no-vivo-fields': { changes: { vivoFields: false }, differs: 'no VCamera fields in XMP (vivo)' },
  'no-samsung-trailer': { changes: { trailer: undefined }, differs: "without Samsung's block and trailer" },
  legacy: { profile: 'legacy', differs: 'the profile legacy: also the old MicroVideo fields' },
  'no-padding': { changes: { itemPadding: false }, differs: 'no Item:Padding in the directory' },
  'clip-first': { changes: { firstItem: 'clip' }, differs: 'directory: the clip before the picture' },
  'timestamp-absent': { changes: { timestamp: 'absent' }, differs: 'the moment of the still is not given' },
  'timestamp-zero': { changes: { timestamp: 'zero' }, differs: 'the moment of the still is 0' },
  'timestamp-milliseconds': { changes: { timestamp: 'milliseconds' }, differs: 'it is in milliseconds' },
  hevc: { clip: 'hevc', differs: 'the clip is HEVC instead of H.264' },
  'no-sound': { clip: 'no-sound', differs: 'the clip has no sound' },
  silence: { clip: 'silence', differs: 'the clip has a silent sound track' },
  longer: { clip: 'longer', differs: 'the clip is longer, up to ten seconds' },
  'name-mvimg': { name: (time) => `MVIMG_${time}.jpg`, differs: 'an old name of Pixel and Xiaomi' },
  // Pixel cameras add milliseconds.
  'name-pxl': { name: (time) => `PXL_${time}000.MP.jpg`, differs: 'a name of Pixel cameras' },
  'name-img': { name: (time) => `IMG_${time}.jpg`, differs: 'the name of an ordinary photo, without MP' },
  google: { profile: 'google', differs: "the profile google: Google's specification and nothing else" },
  huawei: { profile: 'huawei', differs: 'the profile huawei: the tail of Huawei and Honor' },
  apple: { profile: 'apple', differs: 'the two files of a Live Photo as a ZIP' },
}

export type ClipChange = Exclude<ChangedClip, 'longer'>

const FILE = 'changed.mp4'

const ARGS: Readonly<Record<ClipChange, readonly string[]>> = {
  // As phones write it: `hvc1`, and no picture that is shown in another order than it is decoded.
  hevc: [
    ...['-map', '0', '-c:a', 'copy', '-c:v', 'libx265', '-preset', 'fast', '-crf', '20', '-tag:v', 'hvc1'],
    ...['-pix_fmt', 'yuv420p', '-fps_mode', 'passthrough', '-x265-params', 'bframes=0:log-level=error'],
  ],
  'no-sound': ['-map', '0:v:0', '-c', 'copy'],
  silence: [
    ...[...SILENCE, '-map', '0:v:0', '-map', '1:a:0'],
    ...['-c:v', 'copy', '-c:a', 'aac', '-shortest'],
  ],
}

/**
 * Makes a clip that differs in one thing; the times of its pictures stay, and so do the pictures unless they become HEVC.
 * @returns undefined when this ffmpeg has no encoder for it
 * @throws ServiceError `internal`, `timeout`, `unavailable`
 */
export async function changeClip(
  { ffmpeg, limits }: { ffmpeg: Ffmpeg; limits: { readonly convertTimeoutSeconds: number } },
  clip: Uint8Array,
  change: ClipChange,
  { folder, signal }: { readonly folder: WorkFolder; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const outcome = await ffmpeg.run({
    args: [...OWN_PIPE, ...ARGS[change], ...mp4Output(folder.path(FILE))],
    stdin: clip,
    timeoutMs: limits.convertTimeoutSeconds * 1000,
    signal,
  })
  if (/Unknown encoder/.test(outcome.stderr)) return undefined
  requireSuccess(outcome, conversionError)
  return normalizeClip(await folder.read(FILE))
}
