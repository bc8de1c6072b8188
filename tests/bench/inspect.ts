import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { openFileSource } from '#core/adapters/files/fileSource'
import { inspectFile } from '#core/formats/livePhoto/inspectLivePhoto'
import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import { normalizeClip } from '#core/formats/mp4/normalizeClip'
import { readFrom } from '#core/formats/source/reading'
import { type MediaFolder, openMediaFolder } from '#support/media/media'
import type { MutationFigures } from '#support/media/mutatedPhotosWorker'
import { workerPath } from '#support/process/workerPath'
import { realFilesAtHand } from '#support/realFiles/bringRealFiles'
import { type Cost, costOf, median } from './measure'

const MUTATED = 100_000
const ROUNDS = 50
/** Real photos up to this size are mutated, too. */
const SMALL_BYTES = 300_000

/** How long a large photo takes to be judged, and what damaged ones cost. */
export async function benchInspect(): Promise<void> {
  const media = await openMediaFolder()
  try {
    const large = await makeLargePhoto(media)
    await timeLarge(large)
    await mutatePhotos(large)
  } finally {
    await media.remove()
  }
}

async function timeLarge(path: string): Promise<void> {
  const look = async () => {
    const source = await openFileSource(path)
    await readFrom(inspectFile(source), source)
  }
  await look()
  const costs: Cost[] = []
  for (let round = 0; round < ROUNDS; round += 1) costs.push(await costOf(look))
  const { size } = await stat(path)
  const figure = (pick: (cost: Cost) => number) => {
    const values = costs.map(pick)
    return `median ${median(values).toFixed(1)} ms, shortest ${Math.min(...values).toFixed(1)} ms`
  }
  console.log(`\ninspect of a photo of ${(size / 1e6).toFixed(1)} MB from the disk  goal ≤ 20 ms`)
  console.log(`  CPU   ${figure(({ cpuMs }) => cpuMs)}\n  wall  ${figure(({ wallMs }) => wallMs)}`)
}

async function mutatePhotos(large: string): Promise<void> {
  const { files } = await realFilesAtHand()
  const real = files.filter(({ bytes }) => bytes.length <= SMALL_BYTES).map(({ local }) => local)
  const worker = workerPath('media/mutatedPhotosWorker')
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    worker,
    String(MUTATED),
    large,
    ...real,
  ])
  const figures: MutationFigures = JSON.parse(stdout)
  console.log(
    `\n${figures.photos} mutated photos (${real.length} kinds of real phones): ${figures.judged} judged, ${figures.refused} refused, no crash`,
  )
  console.log(
    `  longest  CPU ${figures.longestCpuMs.toFixed(1)} ms, wall ${figures.longestWallMs.toFixed(1)} ms  goal ≤ 100 ms`,
  )
  console.log(`  memory of the process  ${figures.peakMegabytes.toFixed(0)} MB  goal ≤ 200 MB`)
}

/** A photo of 12 megapixels with noise, as a phone's camera has it, and a clip. */
async function makeLargePhoto(media: MediaFolder): Promise<string> {
  const scene = (size: string) => `testsrc2=size=${size}:rate=30,noise=alls=24:allf=t`
  const cover = await media.make('cover.jpg', [
    ...['-f', 'lavfi', '-i', scene('4032x3024')],
    ...'-frames:v 1 -q:v 2'.split(' '),
  ])
  const thumbnail = await media.make('small.jpg', ['-i', cover, '-vf', 'scale=320:-2', '-q:v', '5'])
  const clip = await media.make('clip.mp4', [
    ...['-f', 'lavfi', '-i', scene('1280x720'), '-t', '3', '-c:v', 'libx264', '-preset', 'superfast'],
    ...['-profile:v', 'baseline', '-pix_fmt', 'yuv420p', '-b:v', '12M', '-movflags', '+faststart'],
  ])
  const photo = assembleMotionPhoto({
    cover: await readFile(cover),
    thumbnail: await readFile(thumbnail),
    clip: normalizeClip(await readFile(clip)),
    presentationTimestampUs: 1_000_000,
    profile: 'universal',
    takenAt: { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 0 },
    software: 'bench',
  })
  const path = media.path('large_MP.jpg')
  await writeFile(path, photo)
  return path
}
