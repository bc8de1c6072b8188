import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'

const suiteOf = suite('services of systemd')
const test = suiteOf.skipUnless(findProgram('systemd-analyze'), 'systemd-analyze is not installed')

/** Of `systemd-analyze security`, from 0 (nothing is allowed) to 10, times ten. */
const MAX_EXPOSURE = 20

/** What each unit starts, and what else it has. */
const UNITS = [
  {
    name: 'lantern-room-media',
    start: '/usr/bin/env lantern-room media',
    has: [
      'StateDirectory=lantern-room-media',
      'Environment=DATA_DIR=%S/lantern-room-media',
      'Environment=MEDIA_METRICS_PORT=8001',
    ],
  },
  { name: 'lantern-room-relay', start: '/usr/bin/env room relay', has: [] },
] as const

for (const { name, start, has } of UNITS) {
  const unit = `docs/${name}.service`

  test(`${name}: systemd finds nothing wrong with the unit`, async () => {
    const { stdout, stderr } = await analyze('verify', '--man=no', unit)
    assert.not.match(stdout + stderr, name)
  })

  test(`${name}: the service may do no more than it needs`, async () => {
    const threshold = `--threshold=${MAX_EXPOSURE}`
    const { stdout } = await analyze('security', '--offline=true', '--no-pager', threshold, unit)
    assert.match(stdout, 'Overall exposure level')
  })

  test(`${name}: it starts the executable with its settings`, async () => {
    const lines = (await readFile(unit, 'utf8')).split('\n')
    assert.ok(lines.includes(`ExecStart=${start}`))
    for (const line of has) assert.ok(lines.includes(line), line)
    assert.ok(lines.some((line) => line.startsWith('EnvironmentFile=-/etc/lantern-room/')))
  })
}

function analyze(...args: readonly string[]) {
  return promisify(execFile)('systemd-analyze', args)
}

suiteOf.run()
