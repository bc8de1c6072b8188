import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { locateFfmpeg } from '@lantern-room/adapters/ffmpeg'
import type { Preview } from '#support/media/prepared'
import { servedFrames } from '#support/media/servedFrames'
import { findProgram } from '#support/process/findProgram'
import { inTempFolder } from '#support/process/tempFolder'
import { costOf, inTurn, median, peakOfChildren, report } from './measure'
import { createMediaSteps, type MediaSteps, makeInput, naivePipeline } from './mediaPipelines'

const ROUNDS = 5
const SECONDS = 10
/** From one key frame of a preview to the next. */
const GROUP_FRAMES = 14
/** Of a preview. */
const KEY_FRAME = 9 * GROUP_FRAMES
const FIFTY = Array.from({ length: 50 }, (_, index) => (index * SECONDS) / 50)

type Bench = {
  readonly ffmpeg: string
  readonly folder: string
  readonly input: string
  readonly steps: MediaSteps
  readonly naive: ReturnType<typeof naivePipeline>
}

/** Prepare, convert, clips and thumbnails against the naive pipeline, on ten seconds of 1080p. */
export async function benchMedia(): Promise<void> {
  await inTempFolder('lantern-bench', async (folder) => {
    const { path: ffmpeg } = await locateFfmpeg(process.env.FFMPEG_PATH)
    const input = join(folder, 'input.mp4')
    console.log(`input: ${await makeInput(ffmpeg, input, SECONDS)}`)
    const steps = createMediaSteps(ffmpeg, join(folder, 'work'))
    const bench = {
      ffmpeg,
      folder,
      input,
      steps,
      naive: naivePipeline(ffmpeg, findProgram('ffprobe'), folder),
    }
    await comparePrepare(bench)
    await bench.naive.prepare(input)
    await steps.prepare(input, async (preview) => {
      await compareConverts(bench, preview)
      await compareClips(bench, preview)
      await compareThumbnail(bench, preview)
    })
    await compareSmallPreview(bench)
    await compareSession(bench)
  })
}

async function comparePrepare({ input, steps, naive }: Bench): Promise<void> {
  const ours = () => steps.prepare(input, async () => {})
  report(`prepare: ${SECONDS} s of 1080p30`, await inTurn(ROUNDS, () => naive.prepare(input), ours), '≥ 4.5×')
  const peaks: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) peaks.push(await peakOfChildren(ours))
  console.log(`  memory of ffmpeg at its peak ${median(peaks).toFixed(0)} MB`)
}

async function compareConverts({ input, steps, naive }: Bench, preview: Preview): Promise<void> {
  for (const [speed, goal] of [
    [1, '≥ 15×'],
    [2, '≥ 12×'],
  ] as const) {
    const range = { start: 4, end: 7, cover: 5.5, speed }
    report(
      `convert: 3 s at speed ${speed}`,
      await inTurn(
        ROUNDS,
        () => naive.convert(range),
        () => steps.convert(preview, input, range),
      ),
      goal,
    )
  }
}

async function compareClips({ input, steps, naive }: Bench, preview: Preview): Promise<void> {
  for (const [what, startFrame, speed, isSource, goal] of [
    ['clip alone: 3 s, on a key frame', KEY_FRAME, 1, false, '≥ 100×'],
    ['clip alone: 3 s, 9 frames before a key frame', KEY_FRAME + GROUP_FRAMES - 9, 1, false, '≥ 40×'],
    ['clip alone: 3 s of 720p at speed 2, every second frame', KEY_FRAME, 2, false, '≥ 12×'],
    ['clip alone: 3 s in the quality of the source', KEY_FRAME, 1, true, '≤ 0.15 CPU-s'],
    ['clip alone: 3 s at speed 2 in the quality of the source', KEY_FRAME, 2, true, '≥ 12×'],
  ] as const) {
    const start = startFrame / 30
    report(
      what,
      await inTurn(
        ROUNDS,
        () => naive.convert({ start, end: start + 3, cover: undefined, speed }),
        () => steps.clip(preview, isSource ? input : undefined, startFrame, speed),
      ),
      goal,
    )
  }
}

async function compareThumbnail({ ffmpeg, folder, steps, naive }: Bench, preview: Preview): Promise<void> {
  const still = join(folder, 'still.jpg')
  const plain = [
    ...'-v error -y'.split(' '),
    ...['-i', naive.preview],
    ...'-ss 8 -frames:v 1 -vf scale=320:-1'.split(' '),
    still,
  ]
  const frameOf = await servedFrames(preview, steps.dependencies.ffmpeg)
  // A frame that was taken is kept, so each round takes the next.
  let frame = 240
  const ours = () => frameOf(frame++, 320)
  report('thumbnail at 8 s', await inTurn(ROUNDS, () => promisify(execFile)(ffmpeg, plain), ours))
}

/** Twice the frames of a preview of 480p are within level 3.1: a clip at speed 2 is a copy. */
async function compareSmallPreview({ ffmpeg, folder, input, steps }: Bench): Promise<void> {
  const small = join(folder, 'small.mp4')
  const scale = ['-vf', 'scale=854:480', '-c:v', 'libx264', '-preset', 'veryfast', '-c:a', 'copy']
  await promisify(execFile)(ffmpeg, ['-v', 'error', '-y', '-i', input, ...scale, small])
  const naive = naivePipeline(ffmpeg, undefined, folder)
  await naive.prepare(small)
  await steps.prepare(small, async (preview) => {
    const ours = () => steps.clip(preview, undefined, KEY_FRAME, 2)
    const plain = () => naive.convert({ start: 4, end: 7, cover: undefined, speed: 2 })
    report('clip alone: 3 s of 480p at speed 2', await inTurn(ROUNDS, plain, ours), '≥ 12×')
  })
}

/** Fifty pictures are seen before a range is chosen: by the naive way each is made, by ours they are in the filmstrip. */
async function compareSession({ ffmpeg, folder, input, steps, naive }: Bench): Promise<void> {
  const range = { start: 4, end: 7, cover: 5.5, speed: 1 }
  const ours = () => steps.prepare(input, (preview) => steps.convert(preview, input, range))
  const plain = async () => {
    await naive.prepare(input)
    for (const at of FIFTY) {
      const picture = ['-ss', String(at), '-i', naive.preview, '-frames:v', '1', '-vf', 'scale=160:-1']
      await promisify(execFile)(ffmpeg, ['-v', 'error', '-y', ...picture, join(folder, 'tile.jpg')])
    }
    await naive.convert(range)
  }
  report(
    'whole session: prepare, fifty pictures to choose from, one convert of 3 s',
    await inTurn(2, plain, ours),
    '≥ 8×',
  )
  console.log(`  memory of ffmpeg at its peak ${(await peakOfChildren(ours)).toFixed(0)} MB  goal ≤ 135 MB`)
  const { wallMs } = await costOf(ours)
  console.log(`  wall ${(wallMs / 1000).toFixed(1)} s`)
}
