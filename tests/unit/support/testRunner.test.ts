import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inTempFolder } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'

// Each file below tests/fixtures/runner/unit is planted to go wrong in one way.
const test = suite('test runner', { timeoutMs: 60_000 })
const withProc = test.skipUnless(existsSync('/proc/self/environ'), 'this system has no /proc')

test('passing tests end with the closing line and exit code 0', async () => {
  const { code, output, lines } = await run('passes')
  assert.is(code, 0)
  assert.is(lines.at(-1), '2 passed, 0 failed')
  assert.match(output, 'printed by a test')
})

test('a failure is shown with its diff, its place in the source and what was printed', async () => {
  const { code, output, lines } = await run('differs')
  assert.is(code, 1)
  assert.is(lines.at(-1), '1 passed, 2 failed')
  assert.match(output, 'FAIL  unit/differs > differing > equal lists\n')
  assert.match(output, 'Expected values to be deeply equal:  (equal)')
  assert.match(output, '--··2,')
  assert.match(output, '++··5,')
  assert.match(output, /tests\/fixtures\/runner\/unit\/differs\.test\.ts:6:/)
  assert.match(output, 'printed before the failure')
})

const UNSTABLE = 'unstable  unit/failsFirst > once > fails the first time'

type Planted = { readonly closing: string; readonly says: readonly string[] }

/** Differs from run to run: two suites at once must not find each other's process. */
const leftSeconds = `61.${process.pid}`
const waitSeconds = `62.${process.pid}`

const planted: Readonly<Record<string, Planted>> = {
  beforeThrows: {
    closing: '0 passed, 1 failed',
    says: ['unprepared > before (so 2 tests did not run)', 'no preparation'],
  },
  afterThrows: { closing: '1 passed, 1 failed', says: ['untidy > after', 'no tidying'] },
  eachThrows: {
    closing: '2 passed, 2 failed',
    says: ['each > first', 'not before the first', 'each > second', 'not after the second'],
  },
  throwsAtImport: { closing: '0 passed, 1 failed', says: ['(file) does not load', 'broken file'] },
  hangsAtImport: { closing: '0 passed, 1 failed', says: ['ended in the middle'] },
  noSuite: { closing: '0 passed, 1 failed', says: ['it has no tests'] },
  notRun: { closing: '1 passed, 1 failed', says: ['forgotten', 'This suite was not run'] },
  lateTest: { closing: '0 passed, 1 failed', says: ["declared after the suite's run()"] },
  neverSettles: {
    closing: '1 passed, 2 failed',
    says: [
      '"endless > waits for ever" did not end within 0.2 s.',
      '"endless > waits for ever with a clock of its own" did not end within 0.2 s.',
    ],
  },
  unhandled: { closing: '0 passed, 1 failed', says: ['(uncaught error)', 'nobody waits for this'] },
  exits: { closing: '0 passed, 1 failed', says: ['ended in the middle'] },
  dies: { closing: '0 passed, 1 failed', says: ['ended in the middle (SIGKILL)'] },
  holds: { closing: '1 passed, 1 failed', says: ['exit code 1', 'Still open', 'TCPServerWrap', 'Timeout'] },
  leavesFile: { closing: '1 passed, 1 failed', says: ['(files left behind): forgotten.txt'] },
  leavesProcess: { closing: '1 passed, 1 failed', says: ['(processes left behind)', `sleep ${leftSeconds}`] },
}

for (const [name, { closing, says }] of Object.entries(planted))
  withProc(`the planted ${name} fails`, async () => {
    const { code, output, lines } = await run(name)
    assert.is(code, 1)
    assert.is(lines.at(-1), closing, output)
    for (const words of says) assert.match(output, words)
    assert.equal(await running(`sleep ${leftSeconds}`), [])
  })

test('every planted file is tried here', async () => {
  const built = await readdir('dist/tests/fixtures/runner/unit')
  const names = built
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => file.replace('.test.mjs', ''))
  const apart = ['differs', 'failsFirst', 'only', 'passes', 'settings', 'skips', 'waits']
  assert.equal(names.sort(), [...Object.keys(planted), ...apart].sort())
})

test('.only leaves out the others, and fails where CI is set', async () => {
  const here = await run('only')
  assert.is(here.code, 0)
  assert.is(here.lines.at(-1), '1 passed, 0 failed')
  const inCi = await run('only', { CI: 'true' })
  assert.is(inCi.code, 1)
  assert.is(inCi.lines.at(-1), '1 passed, 1 failed')
  assert.match(inCi.output, '`.only` was left in')
})

test('skipped tests are named with their reasons, and hooks of a suite with nothing to run stay still', async () => {
  const { code, lines } = await run('skips')
  assert.is(code, 0)
  assert.equal(lines.slice(-5), [
    'skip  unit/skips > skipping > has a reason: no such machine',
    'skip  unit/skips > skipping > needs a program: no such program',
    'skip  unit/skips > nothing to run > the only one: not today',
    '',
    '1 passed, 0 failed, 3 skipped',
  ])
})

const repeats: readonly (readonly [case_: string, most: string, code: number, closing: readonly string[]])[] =
  [
    ['is repeated alone', '1', 0, [UNSTABLE, '', '1 passed, 0 failed']],
    ['is not repeated unasked', '0', 1, ['0 passed, 1 failed']],
  ]
for (const [what, most, expectedCode, closing] of repeats)
  test(`a file that fails ${what}, and what it said the first time is shown`, () =>
    inTempFolder('runner', async (folder) => {
      const ran = await run('failsFirst', { HAS_RUN: join(folder, 'ran') }, ['--repeat', most])
      assert.is(ran.code, expectedCode, ran.output)
      assert.equal(ran.lines.slice(-closing.length), closing)
      assert.match(ran.output, 'the machine was busy')
      assert.is(/^FAIL {2}.+ > /m.test(ran.output), expectedCode === 1)
    }))

test('a file that fails again fails, and many that fail are not repeated', async () => {
  const again = await run('differs', {}, ['--repeat', '1'])
  assert.is(again.lines.filter((line) => line.startsWith('FAIL  unit/differs  ')).length, 2)
  assert.is(again.lines.at(-1), '1 passed, 2 failed')
  const many = await run('differs', {}, ['noSuite', '--repeat', '1'])
  assert.is(many.lines.filter((line) => line.startsWith('FAIL  unit/differs  ')).length, 1)
  assert.is(many.lines.at(-1), '1 passed, 3 failed')
})

test('--all reaches the tests', async () => {
  const plain = await run('settings')
  assert.match(plain.output, 'few cases')
  const all = await run('settings', {}, ['--all'])
  assert.match(all.output, 'all cases')
})

withProc('Ctrl-C kills what the tests have started, whatever group and environment it has', async () => {
  const runner = start('waits')
  const output = text(runner.stdout)
  const exited = once(runner, 'exit')
  await untilRunning(`sleep ${waitSeconds}`, 1)
  runner.kill('SIGINT')
  const [code] = await exited
  assert.is(code, 1)
  assert.match(await output, /0 passed, 1 failed\n$/)
  assert.equal(await running(`sleep ${waitSeconds}`), [])
})

withProc('a runner that is killed leaves nothing either', async () => {
  const runner = start('waits')
  const exited = once(runner, 'exit')
  runner.stdout.resume()
  runner.stderr.resume()
  await untilRunning(`sleep ${waitSeconds}`, 1)
  runner.kill('SIGKILL')
  await exited
  await untilRunning(`sleep ${waitSeconds}`, 0)
  await untilRunning('fixtures/runner/unit/waits', 0)
})

type Outcome = { readonly code: number | null; readonly output: string; readonly lines: readonly string[] }

async function run(
  word: string,
  env: Record<string, string> = {},
  more: readonly string[] = [],
): Promise<Outcome> {
  const runner = start(word, env, more)
  const [output, errors, [code]] = await Promise.all([
    text(runner.stdout),
    text(runner.stderr),
    once(runner, 'exit'),
  ])
  return { code, output: output + errors, lines: output.trimEnd().split('\n') }
}

function start(
  word: string,
  env: Record<string, string> = {},
  more: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const args = ['dist/tests/run.mjs', '--root', 'dist/tests/fixtures/runner', word, ...more]
  return spawn(process.execPath, args, {
    env: { ...process.env, CI: '', LEFT_SECONDS: leftSeconds, WAIT_SECONDS: waitSeconds, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Ids of the running processes whose command line contains the words; zombies have none. */
async function running(words: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return ids.filter((_, index) => commands[index]?.replaceAll('\0', ' ').includes(words))
}

function untilRunning(command: string, count: number): Promise<number> {
  const isSo = async () => (await running(command)).length === count
  return until(`${command} runs ${count} times`, isSo, { ms: 50_000, everyMs: 50 })
}

test.run()
