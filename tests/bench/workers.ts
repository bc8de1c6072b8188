import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { slowFfmpeg } from '#support/hosts/jobs'
import { motoMissing, startMoto } from '#support/hosts/moto'
import { createdQueue } from '#support/hosts/sqs'
import { film, type MediaFolder, openMediaFolder } from '#support/media/media'
import { projectRoot, type Settings, startServer } from '#support/process/serverProcess'
import { openS3, s3Missing } from '#support/store/s3'
import { until } from '#support/values/until'
import { jsonOf, postJson, uploaded } from '../contract/http/requests'
import { costOf } from './measure'

const UPLOADS = Number(process.env.UPLOADS ?? 24)
const SECONDS = 4
const WORKERS = [1, 2, 4]

/** `real` and `paced` leave out the other one. */
const KIND = process.env.KIND

/** How much more two and four workers do on one queue and one bucket. `UPLOADS=8` for fewer, `KIND=real` with ffmpeg's own speed alone. */
export async function benchWorkers(): Promise<void> {
  const missing = s3Missing ?? (await motoMissing())
  if (missing !== undefined) return console.log(`\nWorkers on one queue: not measured, ${missing}`)
  const [s3, moto, media] = [await openS3(), await startMoto(), await openMediaFolder()]
  try {
    console.log(`\nWorkers with one job each, on one queue and one bucket: ${UPLOADS} clips of ${SECONDS} s`)
    const clip = await readFile(await media.make('clip.mp4', film('320x240', SECONDS)))
    const paced = await slowFfmpeg(media)
    for (const [kind, how, more] of [
      ['paced', 'an ffmpeg that takes as long as the clip, and hardly a processor', { FFMPEG_PATH: paced }],
      ['real', 'ffmpeg as fast as this machine', {}],
    ] as const) {
      if (KIND !== undefined && KIND !== kind) continue
      console.log(`  ${how}`)
      for (const workers of WORKERS) {
        const PREPARE_QUEUE_URL = await createdQueue(moto, 'bench')
        const AWS_REGION = 'eu-central-1'
        const settings = { ...s3.settings(`workers-${how.length}-${workers}`), AWS_REGION, PREPARE_QUEUE_URL }
        await measure(media, clip, workers, settings, more)
      }
    }
  } finally {
    await Promise.all([s3.stop(), moto.stop(), media.remove()])
  }
}

async function measure(
  media: MediaFolder,
  clip: Uint8Array,
  count: number,
  settings: Settings,
  more: Settings,
) {
  const host = await startNodeHost({ ...settings, PREPARE_QUEUE_JOBS: '0' })
  const ids = await Promise.all(Array.from({ length: UPLOADS }, () => uploaded(host, clip)))
  const headers = { Prefer: 'respond-async' }
  for (const upload_id of ids) await postJson(host, '/prepare', { upload_id }, { headers })
  const workers = Array.from({ length: count }, (_, index) =>
    startServer([join(projectRoot, 'dist/local-runner/main.mjs'), 'worker'], {
      ...settings,
      ...more,
      MAX_CONCURRENT_JOBS: '1',
      DATA_DIR: media.path(`${settings.PREPARE_QUEUE_URL?.split('/').at(-1)}-${index}`),
    }),
  )
  try {
    await Promise.all(workers.map((worker) => worker.said(/takes prepares from/)))
    const { wallMs } = await costOf(() =>
      until('all are done', () => areDone(host, ids), { everyMs: 200, ms: 600_000 }),
    )
    const taken = workers.map((worker) => worker.stderr().match(/"ended":"done"/g)?.length ?? 0)
    const each = (wallMs * count) / UPLOADS / 1000
    console.log(
      `    ${count}: ${(wallMs / 1000).toFixed(1)} s, ${(UPLOADS / (wallMs / 1000)).toFixed(2)} a second, ${each.toFixed(1)} s of a worker each; taken ${taken.join(', ')}`,
    )
  } finally {
    await Promise.all([...workers.map((worker) => worker.end()), host.stop()])
  }
}

/** Asked one after the other, from the last one on, so that the asking costs little. */
async function areDone(host: ProcessHost, ids: readonly string[]): Promise<boolean> {
  for (const id of ids.toReversed()) {
    const { state } = await jsonOf<{ state: string }>(await host.send(`/uploads/${id}`))
    if (state !== 'done') return false
  }
  return true
}
