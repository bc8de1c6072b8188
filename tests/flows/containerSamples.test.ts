import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hostsOfEachTest } from '#support/hosts/jobs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { findProgram } from '#support/process/findProgram'
import { freePort, projectRoot, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { eventually } from '#support/values/until'
import { formOf } from '../contract/http/requests'

// The samples of docs/containers.md, judged by the programs that they are for.

const test = suite('samples for containers', { timeoutMs: 60_000 })
const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(test)
const samples = join(projectRoot, 'docs/containers')
const needed = { MEDIA_SERVICE_TOKEN: 'x', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
const ifThere = (program: string) => test.skipUnless(findProgram(program), `${program} is not installed`)

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

ifThere('caddy')(
  'Caddy passes files and events on, and turns to the other host when one is gone',
  async () => {
    const hosts = await Promise.all([1, 2].map(() => start({ DATA_DIR: media.path('shared') })))
    const [first, second] = hosts.map(({ url }) => new URL(url).host)
    const port = await freePort()
    const sample = await readFile(join(samples, 'Caddyfile'), 'utf8')
    const here = sample
      .replace('media.example.com', `http://127.0.0.1:${port}`)
      .replaceAll('media-a:8000 media-b:8000', `${first} ${second}`)
    const config = await media.write('Caddyfile', `{\n\tadmin off\n}\n${here}`)
    const home = {
      HOME: media.path('home'),
      XDG_DATA_HOME: media.path('data'),
      XDG_CONFIG_HOME: media.path('config'),
    }
    const caddy = startServer(['run', '--adapter', 'caddyfile', '--config', config], home, 'caddy')
    try {
      const send = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
      const isUp = () => send('/health').catch(() => undefined)
      await eventually(isUp, (answer) => answer?.status === 200)
      const clip = await readFile(await media.make('2.mp4', film('160x120', 2)))
      const headers = { Accept: 'text/event-stream' }
      const events = await send('/prepare', { method: 'POST', body: formOf(clip), headers })
      assert.match(await events.text(), /event: progress\n[\s\S]*event: result\n/)
      hosts[0]?.server.signal('SIGKILL')
      await hosts[0]?.server.ended
      const statuses: number[] = []
      for (let count = 0; count < 4; count++)
        statuses.push((await send('/prepare', { method: 'POST', body: formOf(clip) })).status)
      // The first body for the host that is gone shows that it is.
      const others = statuses.filter((status) => status !== 200)
      assert.ok(others.length === 0 || String(others) === '502', String(statuses))
      assert.is((await send('/health')).status, 200)
    } finally {
      await caddy.end()
    }
  },
)

test.run()
