import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { slowFfmpeg } from '#support/hosts/jobs'
import { type Moto, motoMissing, startMoto } from '#support/hosts/moto'
import { createdQueue } from '#support/hosts/sqs'
import { film, type MediaFolder, openMediaFolder } from '#support/media/media'
import { projectRoot, type Settings, startServer } from '#support/process/serverProcess'
import { until } from '#support/values/until'
import { jsonOf, postJson, uploaded } from '../contract/http/requests'

const GREEDY = Number(process.env.UPLOADS ?? 24)
const SMALL = 2
const SECONDS = 2
const LANES = 2
/** What takes from a shared queue: so many workers, with so many jobs at a time, of which the greedy client may have so many. */
const SHARED = [
  { workers: 1, jobs: 1, max: undefined },
  { workers: 2, jobs: 1, max: undefined },
  { workers: 1, jobs: 2, max: 1 },
] as const
const TOKENS = { greedy: 'token-of-the-greedy', small: 'token-of-the-small' }
type Name = keyof typeof TOKENS

/** How long a client with two uploads waits that come after those of a client with many. `UPLOADS=100` for more of them. */
export async function benchGreedyClients(): Promise<void> {
  const media = await openMediaFolder()
  try {
    const clip = await readFile(await media.make('clip.mp4', film('160x120', SECONDS)))
    // It takes as long as the clip, and hardly a processor.
    const paced = { MEDIA_SERVICE_TOKENS: tokensOf(undefined), FFMPEG_PATH: await slowFfmpeg(media) }
    const inHost = Math.min(GREEDY, 8 * LANES)
    console.log(`\nTwo clients, of which one is greedy: clips of ${SECONDS} s, ${LANES} jobs at a time`)
    const alone = await startNodeHost({ ...paced, MAX_CONCURRENT_JOBS: String(LANES) })
    await measure(`the queue of a host, after ${inHost} of the other`, alone, clip, inHost).finally(
      alone.stop,
    )
    const missing = await motoMissing()
    if (missing !== undefined) return console.log(`  a shared queue: not measured, ${missing}`)
    const moto = await startMoto()
    try {
      for (const how of SHARED) await benchShared(media, clip, paced, moto, how)
    } finally {
      await moto.stop()
    }
  } finally {
    await media.remove()
  }
}

async function benchShared(
  media: MediaFolder,
  clip: Uint8Array,
  paced: Settings,
  moto: Moto,
  { workers: count, jobs, max }: (typeof SHARED)[number],
): Promise<void> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = moto.settings as Readonly<Record<string, string>>
  const PREPARE_QUEUE_URL = await createdQueue(moto, 'greedy')
  const settings = {
    ...paced,
    MEDIA_SERVICE_TOKENS: tokensOf(max),
    PREPARE_QUEUE_URL,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    DATA_DIR: media.path(`shared-${count}-${jobs}`),
    MAX_CONCURRENT_JOBS: String(jobs),
  } as Settings
  const host = await startNodeHost({ ...settings, PREPARE_QUEUE_JOBS: '0' })
  const start = () => startServer([join(projectRoot, 'dist/local-runner/main.mjs'), 'worker'], settings)
  const workers = Array.from({ length: count }, start)
  const limit = max === undefined ? '' : `, of which the greedy client may have ${max}`
  try {
    await Promise.all(workers.map((worker) => worker.said(/takes prepares from/)))
    const where = `a shared queue, workers: ${count}, with jobs at a time: ${jobs}${limit}; after ${GREEDY} of the other`
    await measure(where, host, clip, GREEDY)
  } finally {
    await Promise.all([...workers.map((worker) => worker.end()), host.stop()])
  }
}

function tokensOf(max: number | undefined): string {
  const greedy = `greedy:${TOKENS.greedy}${max === undefined ? '' : `:${max}`}`
  return `${greedy},small:${TOKENS.small}`
}

async function measure(where: string, host: ProcessHost, clip: Uint8Array, greedy: number): Promise<void> {
  const filesOf = (name: Name, count: number) =>
    Promise.all(Array.from({ length: count }, () => uploaded(host, clip, undefined, as(name))))
  const [many, few] = [await filesOf('greedy', greedy), await filesOf('small', SMALL)]
  const waits = { greedy: [] as number[], small: [] as number[] }
  const done: Promise<unknown>[] = []
  const ask = async (name: Name, upload_id: string) => {
    const { headers } = as(name)
    await postJson(host, '/prepare', { upload_id }, { headers: { ...headers, Prefer: 'respond-async' } })
    const isDone = async () => (await stateOf(host, name, upload_id)) === 'done'
    const waited = until('it is done', isDone, { everyMs: 300, ms: 600_000 })
    done.push(waited.then((ms) => waits[name].push(ms / 1000)))
  }
  for (const id of many) await ask('greedy', id)
  for (const id of few) await ask('small', id)
  await Promise.all(done)
  const last = (seconds: readonly number[]) => `${Math.max(...seconds).toFixed(1)} s`
  console.log(
    `  ${where}: ${SMALL} are done after ${last(waits.small)}, the others after ${last(waits.greedy)}`,
  )
}

function as(name: Name) {
  return { headers: { Authorization: `Bearer ${TOKENS[name]}` } }
}

async function stateOf(host: ProcessHost, name: Name, id: string): Promise<string> {
  return (await jsonOf<{ state: string }>(await host.send(`/uploads/${id}`, as(name)))).state
}
