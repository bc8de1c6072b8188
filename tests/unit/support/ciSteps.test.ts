import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

// What `.ci/run` counts, and how it ends: tests/ci/step.mjs for each of its steps, then tests/ci/result.mjs.

const test = suite('steps of .ci/run', { timeoutMs: 30_000 })
const withProc = test.skipUnless(existsSync('/proc/self/environ'), 'this system has no /proc')
const folder = folderOfEachTest(test, 'ci')
/** Differs from run to run: two suites at once must not find each other's process. */
const seconds = `63.${process.pid}`
const told = {
  passed: 7,
  failed: 2,
  skipped: 1,
  notes: ['unstable  a > b', 'FAIL  c > d', 'skip  e > f: why'],
}

withProc('a step counts as one, passed or failed, and the last line has the sum', () => {
  assert.is(step(['good', 'true']).status, 0)
  assert.is(step(['bad', 'sh', '-c', 'exit 3']).status, 3)
  assert.is(step(['absent', './no-such-program']).status, 127)
  const { status, lines } = result()
  assert.is(status, 1)
  assert.equal(lines, [
    'FAIL  bad (exit code 3)',
    'FAIL  absent (spawn ./no-such-program ENOENT)',
    '1 passed, 2 failed',
  ])
})

withProc('what a machine cannot do is skipped for the reason that it says last', () => {
  step(['good', 'true'])
  assert.is(step(['packages', 'sh', '-c', 'echo first; sleep 0.1; echo not root; exit 77']).status, 77)
  const { status, lines } = result()
  assert.is(status, 0)
  assert.equal(lines, ['skip  packages: not root', '1 passed, 0 failed, 1 skipped'])
})

withProc('a process that a step leaves in another group is ended, and fails it', () => {
  const { status, stdout } = step(['careless', 'sh', '-c', `setsid sleep ${seconds} & exit 0`])
  assert.is(status, 1)
  assert.match(stdout, `--- careless: left running: sleep ${seconds} after `)
  assert.is(spawnSync('pgrep', ['-f', `sleep ${seconds}`]).status, 1)
  assert.equal(result().lines, [`FAIL  careless (left running: sleep ${seconds})`, '0 passed, 1 failed'])
})

withProc('so does a temporary file, which is removed', () => {
  const { stdout } = step(['untidy', 'sh', '-c', 'echo "in $TMPDIR"; touch "$TMPDIR/forgotten"'])
  const [, made = ''] = /^in (.+)$/m.exec(stdout) ?? []
  assert.not(existsSync(made))
  assert.equal(result().lines, ['FAIL  untidy (left behind: forgotten)', '0 passed, 1 failed'])
})

withProc('a step is ended when its time is over, or that of the whole run', () => {
  const { stdout } = step(['--seconds', '1', 'slow', 'sleep', seconds])
  assert.match(stdout, '--- slow: out of time after 1 s')
  step(['late', 'sleep', seconds], { CI_SECONDS: '0' })
  assert.equal(result().lines, ['FAIL  slow (out of time)', 'FAIL  late (out of time)', '0 passed, 2 failed'])
})

withProc('tests count one by one, or only name what went wrong', async () => {
  const file = join(folder(), 'told.json')
  await writeFile(file, JSON.stringify(told))
  step(['--told', file, '--each', 'all', 'false'])
  step(['--told', file, 'quick', 'true'])
  assert.equal(result().lines, [
    ...told.notes,
    'unstable  a > b',
    'FAIL  c > d',
    '8 passed, 2 failed, 1 skipped',
  ])
})

withProc('tests that end without results, or fail without a failed test, fail as a step', async () => {
  step(['--told', join(folder(), 'absent.json'), '--each', 'lost', 'true'])
  const file = join(folder(), 'told.json')
  await writeFile(file, JSON.stringify({ ...told, failed: 0, notes: [] }))
  step(['--told', file, '--each', '--seconds', '1', 'half', 'sleep', seconds])
  assert.equal(result().lines, [
    'FAIL  lost (it has told no results)',
    'FAIL  half (out of time)',
    '7 passed, 2 failed, 1 skipped',
  ])
})

withProc('a step whose program is killed counts as failed', () => {
  step(['good', 'true'])
  step(['killed', 'sh', '-c', 'kill -KILL $PPID'])
  assert.equal(result().lines, ['FAIL  killed (ended in the middle)', '1 passed, 1 failed'])
})

function step(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return run(['tests/ci/step.mjs', ...words], env)
}

/** Its lines below the heading. */
function result() {
  const { status, stdout } = run(['tests/ci/result.mjs'])
  return { status, lines: stdout.trim().split('\n').slice(1) }
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const settings = {
    CI_RESULTS: join(folder(), 'results'),
    CI_STARTED_AT: String(Math.floor(Date.now() / 1000)),
    CI_SECONDS: '3600',
    TMPDIR: folder(),
  }
  return spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, ...settings, ...env },
  })
}

test.run()
