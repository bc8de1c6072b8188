import { randomUUID } from 'node:crypto'
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join, parse, resolve } from 'node:path'
import { concatBytes } from '@lantern-room/base/bytes'
import {
  assembleLivePhoto,
  assembleMotionPhoto,
  type MotionPhotoParts,
  wallClock,
} from '@lantern-room/formats'
import { zipPieces } from '@lantern-room/formats/files'
import { photoBaseName } from '@lantern-room/formats/time'
import { readMovie, stampTimes } from '@lantern-room/mp4'
import { normalizeClip } from '@lantern-room/mp4/clip'
import { ffmpeg, ffprobe, withEncoder } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { mustRunProgram } from '#support/process/commandLine'
import { inTempFolder, removeFolders } from '#support/process/tempFolder'

/** Clips that are not the baseline's own. */
type ChangedClip = 'hevc' | 'no-sound' | 'silence' | 'longer'

/** In what one thing a file differs from the baseline, a photo of the profile `universal`. */
type Variant = {
  readonly differs: string
  readonly profile?: MotionPhotoParts['profile'] | 'apple'
  readonly changes?: MotionPhotoParts['changes']
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

/** What a photo is made of, as `motion-photo` has made it. */
type Material = Omit<MotionPhotoParts, 'profile' | 'changes'> & {
  /** Unix time in milliseconds of what its clocks show, as if that was UTC. */
  readonly takenMs: number
  /** The moment itself. */
  readonly recordedAt: Date
}

type OtherClip = Pick<Material, 'clip' | 'presentationTimestampUs'>

const SECONDS = 3
const LONG_SECONDS = 10
/** A clip that is hardly longer proves nothing. */
const LONGER_BY_SECONDS = 0.5

/**
 * Makes the photos by which a phone shows what its gallery needs: each differs from the first one in a single thing. `README.txt`
 * beside them is a list to fill in. The folder is written whole or not at all.
 * @param video a video, whose first seconds the photos show
 * @param options further ones for `motion-photo`, such as `--time-zone +02:00`
 * @returns the folder: `VIDEO_trial` beside the video
 * @throws Error when that is there already, or the program refuses the video
 */
export async function makeTrial(video: string, options: readonly string[] = []): Promise<string> {
  const { dir, name } = parse(resolve(video))
  const out = join(dir, `${name}_trial`)
  await mkdir(out)
  try {
    await inTempFolder('trial', async (folder) => {
      const length = Number((await ffprobe(video)).format.duration)
      const baseline = await makePhoto(video, folder, Math.min(SECONDS, length), options)
      const clips = await changedClips(baseline, folder)
      const cover = ['--cover', String(baseline.presentationTimestampUs / 1e6)]
      const longer =
        length >= SECONDS + LONGER_BY_SECONDS
          ? await makePhoto(video, folder, Math.min(LONG_SECONDS, length), [...options, ...cover])
          : undefined
      const rows: string[] = []
      for (const [second, [id, variant]] of Object.entries(VARIANTS).entries()) {
        const clip = variant.clip === 'longer' ? longer : variant.clip && clips.get(variant.clip)
        if (variant.clip && !clip) {
          rows.push(`${id}: left out, because ${REASONS[variant.clip]}.`, '')
          continue
        }
        const file = fileOf(variant, baseline, clip ?? baseline, second)
        rows.push(file.name, `  ${id}: ${variant.differs}`, '  result:                date:', '')
        await writeFile(join(out, file.name), file.bytes)
        await utimes(join(out, file.name), baseline.recordedAt, baseline.recordedAt)
      }
      await writeFile(join(out, 'README.txt'), [...INTRODUCTION, ...rows].join('\r\n'))
    })
    return out
  } catch (error) {
    await removeFolders(out)
    throw error
  }
}

const REASONS: Readonly<Record<ChangedClip, string>> = {
  hevc: 'this ffmpeg cannot encode HEVC',
  'no-sound': 'the video has no sound',
  silence: 'the video has sound of its own',
  longer: 'the video is not longer',
}

const INTRODUCTION = [
  "What does a phone's gallery need? Send these files to the phone as files, not through a chat",
  'program, and open each in the gallery. Each differs from the first one in a single thing.',
  'Results: plays; marked, does not play; still only; not shown. Dates: right; wrong.',
  ...['', 'phone:', 'system and version:', 'gallery and version:', ''],
]

/** The files have a camera's names; the seconds in them are the number of the variant, so that each can be told from the others. */
function fileOf(
  { profile = 'universal', changes, name }: Variant,
  { takenMs, recordedAt: _, ...material }: Material,
  { clip, presentationTimestampUs }: OtherClip,
  second: number,
) {
  const namedAt = { ...wallClock(new Date(takenMs), 0), second }
  const base = photoBaseName(namedAt)
  const parts = { ...material, clip, presentationTimestampUs }
  if (profile === 'apple') {
    const { still, movie } = assembleLivePhoto({ ...parts, identifier: randomUUID().toUpperCase() })
    const pair = [
      { name: `${base}.JPG`, bytes: still },
      { name: `${base}.MOV`, bytes: movie },
    ]
    return { name: `${base}.zip`, bytes: concatBytes(zipPieces(pair, namedAt)) }
  }
  const bytes = assembleMotionPhoto({ ...parts, profile, changes })
  return { name: name?.(base.replace(/^IMG_/, '')) ?? `${base}_MP.jpg`, bytes }
}

/** Makes a photo of the first seconds of a video with the program, and takes it apart again. */
async function makePhoto(
  video: string,
  folder: string,
  seconds: number,
  options: readonly string[],
): Promise<Material> {
  const output = join(folder, `${seconds}.jpg`)
  await mustRunProgram([
    resolve(video),
    '--end',
    String(seconds),
    '--quality',
    'preview',
    '-o',
    output,
    ...options,
  ])
  const photo = await readFile(output)
  const { exif, xmp, clip, primaryLength } = readMotionPhoto(photo) ?? {}
  const { thumbnail, dateTimeOriginal, orientation, maker, model, software = '' } = exif ?? {}
  const presentationTimestampUs = xmp?.presentationTimestampUs
  if (!thumbnail || !dateTimeOriginal || !clip || presentationTimestampUs === undefined)
    throw new Error('The photo that the program has made cannot be read back.')
  const takenMs = Date.parse(`${dateTimeOriginal.replace(/^(\d+):(\d+):(\d+) /, '$1-$2-$3T')}Z`)
  return {
    cover: photo.subarray(0, primaryLength),
    orientation,
    thumbnail,
    maker,
    model,
    software,
    takenAt: { ...wallClock(new Date(takenMs), 0), offsetMinutes: undefined },
    takenMs,
    recordedAt: (await stat(output)).mtime,
    clip: photo.subarray(clip.offset, clip.offset + clip.length),
    presentationTimestampUs,
  }
}

type FfmpegArgs = { readonly inputs: readonly string[]; readonly output: readonly string[] }

const CHANGES: Readonly<Record<Exclude<ChangedClip, 'longer'>, FfmpegArgs>> = {
  // As phones write it: `hvc1`, and no picture that is shown in another order than it is decoded.
  hevc: {
    inputs: [],
    output: [
      ...['-map', '0', '-c:a', 'copy', '-c:v', 'libx265', '-preset', 'fast', '-crf', '20', '-tag:v', 'hvc1'],
      ...['-pix_fmt', 'yuv420p', '-fps_mode', 'passthrough', '-x265-params', 'bframes=0:log-level=error'],
    ],
  },
  'no-sound': { inputs: [], output: ['-map', '0:v:0', '-c', 'copy'] },
  silence: {
    inputs: ['-f', 'lavfi', '-i', 'anullsrc=channel_layout=stereo:sample_rate=48000'],
    output: ['-map', '0:v:0', '-map', '1:a:0', '-c:v', 'copy', '-c:a', 'aac', '-shortest'],
  },
}

/** Clips that differ in one thing; the times of their pictures stay, and so do the pictures unless they become HEVC. */
async function changedClips(
  { clip, recordedAt, presentationTimestampUs }: Material,
  folder: string,
): Promise<ReadonlyMap<ChangedClip, OtherClip>> {
  const hasSound = readMovie(clip).movie?.tracks.some((track) => track.kind === 'audio')
  const [hasHevc] = withEncoder('libx265')
  const wanted = [
    ...(hasHevc ? (['hevc'] as const) : []),
    hasSound ? ('no-sound' as const) : ('silence' as const),
  ]
  const clips = new Map<ChangedClip, OtherClip>()
  for (const change of wanted) {
    const { inputs, output } = CHANGES[change]
    const path = join(folder, `${change}.mp4`)
    await ffmpeg(['-f', 'mov', '-i', 'pipe:0', ...inputs, ...output, '-movflags', '+faststart', path], clip)
    const changed = normalizeClip(await readFile(path))
    // ffmpeg has left the time of the recording out.
    stampTimes(changed, recordedAt.getTime())
    clips.set(change, { clip: changed, presentationTimestampUs })
  }
  return clips
}
