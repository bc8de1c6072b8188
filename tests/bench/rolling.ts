import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { slowFfmpeg } from '#support/hosts/jobs'
import { type ProxiedHosts, type ProxyName, startProxiedHosts } from '#support/hosts/proxiedHosts'
import { requestsTo, sendTraffic } from '#support/hosts/traffic'
import { film, type MediaFolder, openMediaFolder } from '#support/media/media'
import { findProgram } from '#support/process/findProgram'
import { until } from '#support/values/until'
import { formOf } from '../contract/http/requests'

/** Of both hosts, one after the other. */
const UPDATES = 3
const CLIENTS = 24
const PAUSE_MS = 500
/** How long the jobs take that run when a host is told to stop. */
const JOB_SECONDS = 12

/** What clients get while two hosts behind a proxy of the samples are replaced one after the other, with jobs under way. */
export async function benchRolling(): Promise<void> {
  console.log(
    `\n${UPDATES} rolling updates of two hosts behind a proxy, with jobs of ${JOB_SECONDS} s under way`,
  )
  const media = await openMediaFolder()
  try {
    for (const name of ['nginx', 'caddy'] as const) {
      if (findProgram(name)) await benchProxy(name, media)
      else console.log(`  ${name}: skipped, it is not installed`)
    }
  } finally {
    await media.remove()
  }
}

async function benchProxy(name: ProxyName, media: MediaFolder): Promise<void> {
  // It works as fast as a film plays: jobs last, and leave the processors to the rest.
  const settings = { FFMPEG_PATH: await slowFfmpeg(media), SHUTDOWN_SECONDS: '60', DRAIN_SECONDS: '8' }
  const [clip, long] = await Promise.all(
    [0.5, JOB_SECONDS].map(async (seconds) =>
      readFile(await media.make(`${seconds}.mp4`, film('160x120', seconds))),
    ),
  )
  const hosts = await startProxiedHosts(name, media.path(name), { ...settings, MAX_CONCURRENT_JOBS: '8' })
  const over = new AbortController()
  try {
    const options = { clients: CLIENTS, pauseMs: PAUSE_MS, until: over.signal }
    const traffic = sendTraffic(hosts.send, await requestsTo(hosts.send, clip ?? new Uint8Array()), options)
    const jobs: Promise<number>[] = []
    const startedAt = performance.now()
    for (let update = 0; update < UPDATES; update += 1) {
      for (const index of [0, 1] as const) {
        for (let count = 0; count < 4; count += 1) jobs.push(statusOfJob(hosts, long ?? new Uint8Array()))
        await sleep(1000)
        await hosts.replace(index)
        await takenIn(hosts, index)
      }
    }
    const seconds = (performance.now() - startedAt) / 1000
    over.abort()
    const { answers, failures } = await traffic
    const statuses = await Promise.all(jobs)
    const done = statuses.filter((status) => status === 200).length
    console.log(
      `  ${name}: ${answers} requests in ${seconds.toFixed(0)} s, ${failures.length} failed; ${done} of ${jobs.length} jobs done`,
    )
    for (const failure of failures) console.log(`    ${failure}`)
  } finally {
    over.abort()
    await hosts.stop()
  }
}

async function statusOfJob(hosts: ProxiedHosts, film: Uint8Array): Promise<number> {
  const response = await hosts.send('/prepare', { method: 'POST', body: formOf(film) })
  await response.text()
  return response.status
}

/** Resolves when the proxy sends requests to a new host: then the other one may go. */
async function takenIn(hosts: ProxiedHosts, index: 0 | 1): Promise<void> {
  await until('the proxy uses the new host', async () => (await hosts.answeredBy(index)) > 3)
}
