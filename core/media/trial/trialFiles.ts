import { concatBytes } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { photoBaseName, unixTimeOf } from '#core/formats/exif/wallClock'
import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import { readMotionPhoto } from '#core/formats/motionPhoto/read'
import { stampTimes } from '#core/formats/mp4/patchMovie'
import { zipPieces } from '#core/formats/zip/zip'
import { type OutputFile, type OutputMaterial, outputFiles } from '../convert/outputFiles'
import type { PhotoOfFile } from '../oneShot/photoOfFile'
import { type ChangedClip, VARIANTS, type Variant } from './variants'

/** Another clip, and the moment of it that the still shows. */
type OtherClip = Pick<OutputMaterial, 'clip' | 'presentationTimestampUs'>

export type TrialMaterial = {
  readonly baseline: OutputMaterial
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

function fileOf({ profile = 'universal', changes, name }: Variant, material: OutputMaterial): OutputFile {
  const { namedAt, ...parts } = material
  const base = photoBaseName(namedAt)
  if (profile === 'apple') {
    return { name: `${base}.zip`, bytes: concatBytes(zipPieces(outputFiles(profile, material), namedAt)) }
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
export function materialOf({ photo, origin, presentationTimestampUs }: PhotoOfFile): OutputMaterial {
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
