import { setTimeout as sleep } from 'node:timers/promises'
import { assert, suite } from '#support/runner/suite'
import { atMost, beginLifetime } from '../../../../local-runner/commandLine/lifetime'

// Standard input and the starter's end: tests/flows/room/commandLineServe.test.ts and tests/flows/lifecycle.test.ts.

const test = suite('the lifetime of a process')
const withSignals = test.skipUnless(process.platform !== 'win32', 'there are no signals')

withSignals('a signal ends it once, and gives the exit code', async () => {
  const reasons: string[] = []
  const life = beginLifetime({ signals: ['SIGUSR2'], onEnd: (reason) => reasons.push(reason) })
  assert.is(life.exitCode(), undefined)
  process.kill(process.pid, 'SIGUSR2')
  while (!life.signal.aborted) await sleep(5)
  life.end()
  process.removeAllListeners('SIGUSR2')
  assert.is(life.exitCode(), 128 + 12)
  assert.equal(reasons, ['SIGUSR2'])
  life.close()
})

test('work is waited for, but not longer than the limit, and may fail', async () => {
  await atMost(60_000, Promise.resolve(1))
  await atMost(60_000, Promise.reject(new Error('no')))
  const startedAt = performance.now()
  await atMost(30, new Promise(() => {}))
  assert.ok(performance.now() - startedAt >= 29)
})

test('a signal that is derived from its own takes many listeners without a warning', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => void warnings.push(name)
  process.on('warning', onWarning)
  const life = beginLifetime({ signals: [] })
  const derived = AbortSignal.any([life.signal, new AbortController().signal])
  for (let count = 0; count < 20; count += 1) derived.addEventListener('abort', () => {})
  await sleep(5)
  process.off('warning', onWarning)
  assert.equal(warnings, [])
  life.close()
})

test.run()
