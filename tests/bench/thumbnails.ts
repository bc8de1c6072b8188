import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '#core/adapters/ffmpeg/ffmpegLocation'
import { createSharpWebp } from '#core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { createDiskObjectStore } from '#core/adapters/objectStore/diskObjectStore'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { readMediaConfig } from '#core/media/config'
import { createJobQueue } from '#core/media/jobs/jobQueue'
import { preparePreview } from '#core/media/prepare/preparePreview'
import { sessionKeys } from '#core/media/session'
import { createSessions } from '#core/media/sessions'
import { createSessionThumbnails } from '#core/media/thumbnails/sessionThumbnails'
import { inTempFolder } from '#support/process/tempFolder'
import { makeInput } from './benchInput'
import { type Cost, costOf, inTurn, median, report } from './measure'

const ROUNDS = 5
const SECONDS = 10
const WIDTH = 320
const FIFTY = Array.from({ length: 50 }, (_, index) => (index * SECONDS) / 50)

/** Frames of a session, as POST /thumbnail and GET /sessions/{id}/frames answer them, without HTTP. */
export async function benchThumbnails(): Promise<void> {
  await inTempFolder('lantern-bench', async (folder) => {
    await measure(folder)
  })
}

async function measure(folder: string): Promise<void> {
  const { path } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
  const clock = createSystemClock()
  const { limits, previewSize } = readMediaConfig({})
  const { signal } = new AbortController()
  const ffmpeg = createFfmpeg({ path })
  const dependencies = { ffmpeg, webp: createSharpWebp(), clock, limits, previewSize, processors: 1 }
  const input = join(folder, 'input.mp4')
  console.log(`input: ${await makeInput(path, input, SECONDS)}`)
  const store = createDiskObjectStore({ folder: join(folder, 'store') })
  const newSessions = () => createSessions({ store, ttlSeconds: 3600, now: clock.unixTime })
  const work = await createWorkFolders({ folder: join(folder, 'work') }).open()
  const preview = await preparePreview(dependencies, { path: input, kind: 'video' }, { folder: work, signal })
  const session = await newSessions().create(preview, { path: input }, signal)
  const file = join(folder, 'preview.mp4')
  await copyFile(join(folder, 'store', sessionKeys(session.id).preview), file)

  /** A service that has just started: nothing is in its caches. */
  const start = () => {
    const thumbnails = createSessionThumbnails({
      ...dependencies,
      sessions: newSessions(),
      jobs: createJobQueue(limits.maxConcurrentJobs, clock),
      processors: availableParallelism(),
      stopping: signal,
    })
    const caller = { client: { id: 'bench' }, signal }
    return (timestamp: number, width: number) =>
      thumbnails.atTime({ sessionId: session.id, timestamp, width }, caller)
  }

  await show('first thumbnail', '≤ 45 ms with a static ffmpeg, ≤ 150 with Debian’s', () => {
    const take = start()
    return () => take(8.3, WIDTH)
  })
  await show('first thumbnail in the middle of a session in use', '', () => {
    const take = start()
    let frame = 0
    return () => take(8 + frame++ / 30, WIDTH)
  })
  await show('the same again', '≤ 3 ms', async () => {
    const take = start()
    await take(8.3, WIDTH)
    return () => take(8.3, WIDTH)
  })
  const { strip } = session
  if (strip) {
    const at = (12 * strip.interval) / 30
    await show('from the filmstrip, first', '≤ 5 ms', () => {
      const take = start()
      return () => take(at, strip.tileWidth)
    })
  }
  const key = (name: string) => join(folder, name)
  const scale = ['-vf', `scale=${WIDTH}:-1`]
  report(
    `fifty at once, of ${SECONDS} s, against a process for each`,
    await inTurn(
      1,
      () => fiftyProcesses(path, file, scale),
      () => fifty(start()),
    ),
  )
  report(
    'the same against one pass over the key frames',
    await inTurn(
      ROUNDS,
      () =>
        promisify(execFile)(path, [
          ...['-v', 'error', '-y', '-skip_frame', 'nokey', '-i', file, '-vsync', 'vfr', ...scale],
          key('key-%d.jpg'),
        ]).catch(() =>
          promisify(execFile)(path, [
            ...['-v', 'error', '-y', '-skip_frame', 'nokey', '-i', file, '-fps_mode', 'vfr', ...scale],
            key('key-%d.jpg'),
          ]),
        ),
      () => fifty(start()),
    ),
  )

  async function fifty(take: ReturnType<typeof start>): Promise<void> {
    await Promise.all(FIFTY.map((timestamp) => take(timestamp, WIDTH)))
  }
}

/** Two at a time, as the service did before. */
async function fiftyProcesses(path: string, file: string, scale: readonly string[]): Promise<void> {
  const left = [...FIFTY]
  const one = async () => {
    for (let at = left.pop(); at !== undefined; at = left.pop())
      await promisify(execFile)(
        path,
        ['-v', 'error', '-ss', String(at), '-i', file, ...scale, '-frames:v', '1', '-f', 'mjpeg', 'pipe:1'],
        { encoding: 'buffer' },
      )
  }
  await Promise.all([one(), one()])
}

/** Prints the median of some rounds. @param begin prepares a round, untimed */
async function show(
  title: string,
  goal: string,
  begin: () => (() => Promise<unknown>) | Promise<() => Promise<unknown>>,
): Promise<void> {
  const costs: Cost[] = []
  for (let round = 0; round < 2 * ROUNDS; round += 1) costs.push(await costOf(await begin()))
  const wall = costs.map(({ wallMs }) => wallMs)
  console.log(
    `\n${title}\n  wall  ${median(wall).toFixed(1)} ms (${Math.min(...wall).toFixed(1)}–${Math.max(...wall).toFixed(1)})` +
      `  CPU of ffmpeg ${median(costs.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms${goal && `  goal ${goal}`}`,
  )
}
