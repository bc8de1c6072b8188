import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programsOn, slowFfmpeg } from '#support/hosts/jobs'
import { type ProxiedHosts, type ProxyName, startProxiedHosts } from '#support/hosts/proxiedHosts'
import { requestsTo, sendTraffic } from '#support/hosts/traffic'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { findProgram } from '#support/process/findProgram'
import { projectRoot, type Settings } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { until } from '#support/values/until'
import { formOf } from '../contract/http/requests'

// The samples of docs/containers.md, judged by the programs that they are for.

const test = suite('samples for containers', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
let hosts: ProxiedHosts | undefined
const samples = join(projectRoot, 'docs/containers')
const needed = { MEDIA_SERVICE_TOKEN: 'x', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
const ifThere = (program: string) => test.skipUnless(findProgram(program), `${program} is not installed`)

test.after.each(async () => {
  await hosts?.stop()
  hosts = undefined
})

for (const [program, ...args] of [
  ['caddy', 'validate', '--adapter', 'caddyfile', '--config', 'Caddyfile'],
  ['kubernetes-validate', '--strict', 'kubernetes.yml'],
  ['docker-compose', '-f', 'compose.yml', 'config', '--quiet'],
] as const)
  ifThere(program)(`${program} takes its sample`, async () => {
    const env = { ...process.env, ...needed }
    await promisify(execFile)(program, args, { cwd: samples, env })
  })

ifThere('kubernetes-validate')('a misspelt field of a manifest is refused', async () => {
  const manifest = await readFile(join(samples, 'kubernetes.yml'), 'utf8')
  const wrong = await media.write('wrong.yml', manifest.replace('replicas:', 'replicaz:'))
  const failure = await rejection(promisify(execFile)('kubernetes-validate', ['--strict', wrong]))
  assert.match(`${(failure as { stdout: string }).stdout}${failure}`, /replicaz/)
})

for (const name of ['caddy', 'nginx'] as const)
  test.skipUnless(process.platform === 'linux' && findProgram(name), `${name} is not installed`)(
    `${name} passes events on, sends nothing to a host that stops, and turns to the other one when one is gone`,
    async () => {
      const settings = { DRAIN_SECONDS: '6', FFMPEG_PATH: await slowFfmpeg(media), MAX_CONCURRENT_JOBS: '4' }
      const sooner = { 'health_interval 2s': 'health_interval 500ms' }
      const { send, hosts: servers } = await open(name, settings, sooner)
      const [clip = new Uint8Array(), long] = await Promise.all(
        [0.5, 6].map(async (seconds) =>
          readFile(await media.make(`${seconds}.mp4`, film('160x120', seconds))),
        ),
      )
      const prepare = (init?: RequestInit) =>
        send('/prepare', { method: 'POST', body: formOf(clip), ...init })
      const events = await prepare({ headers: { Accept: 'text/event-stream' } })
      assert.match(await events.text(), /event: progress\n[\s\S]*event: result\n/)

      const gone = new AbortController()
      const requests = await requestsTo(send, clip)
      // Of each host the proxy has one finish.
      const jobs = [1, 2].map(() => prepare({ body: formOf(long) }))
      await until('both work', async () => (await programsOn(media.path(name))).length > 1)
      const traffic = sendTraffic(send, requests, { clients: 4, pauseMs: 20, until: gone.signal })
      await servers[0]?.end()
      gone.abort()
      const { answers, failures } = await traffic
      assert.ok(answers > 4, String(answers))
      assert.equal(failures, [])
      for (const job of jobs) assert.is((await job).status, 200)
      assert.is((await prepare()).status, 200)
    },
  )

async function open(
  ...[name, settings, own]: readonly [ProxyName, Settings, Settings]
): Promise<ProxiedHosts> {
  hosts = await startProxiedHosts(name, media.path(name), settings, own)
  return hosts
}

test.run()
