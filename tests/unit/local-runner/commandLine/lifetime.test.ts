import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from '#core/adapters/process/processOwner'
import { assert, suite } from '#support/runner/suite'
import {
  atMost,
  beginLifetime,
  describeEnd,
  type EndCause,
} from '../../../../local-runner/commandLine/lifetime'

// Standard input and the starter's end: tests/flows/room/commandLineServe.test.ts and tests/flows/lifecycle.test.ts.

const test = suite('the lifetime of a process')
const withSignals = test.skipUnless(process.platform !== 'win32', 'there are no signals')

withSignals('a signal ends it once, and gives the exit code', async () => {
  const causes: EndCause[] = []
  const life = beginLifetime({ signals: ['SIGUSR2'], onEnd: (cause) => causes.push(cause) })
  assert.is(life.exitCode(), undefined)
  process.kill(process.pid, 'SIGUSR2')
  while (!life.signal.aborted) await sleep(5)
  life.end()
  process.removeAllListeners('SIGUSR2')
  assert.is(life.exitCode(), 128 + 12)
  assert.equal(causes, [{ kind: 'signal', signal: 'SIGUSR2' }])
  life.close()
})

test('it can be ended from inside, without an exit code', () => {
  const causes: EndCause[] = []
  const life = beginLifetime({ signals: [], onEnd: (cause) => causes.push(cause) })
  life.end()
  life.end()
  assert.equal([life.signal.aborted, life.exitCode(), causes], [true, undefined, [{ kind: 'requested' }]])
})

test('a parent that is not there has ended', () => {
  const causes: EndCause[] = []
  const life = beginLifetime({
    signals: [],
    parent: { pid: 2 ** 30, isRunning },
    onEnd: (cause) => causes.push(cause),
  })
  assert.equal(causes, [{ kind: 'process-ended', pid: 2 ** 30 }])
  life.close()
})

test('a parent that lives keeps it alive', () => {
  const life = beginLifetime({ signals: [], parent: { pid: process.pid, isRunning } })
  assert.is(life.signal.aborted, false)
  life.close()
})

test('each cause is described', () => {
  const causes: readonly EndCause[] = [
    { kind: 'signal', signal: 'SIGINT' },
    { kind: 'process-ended', pid: 7 },
    { kind: 'stdin-closed' },
    { kind: 'requested' },
  ]
  assert.equal(causes.map(describeEnd), [
    'SIGINT: stopping; a second signal ends at once',
    'process 7 has ended: stopping',
    'standard input was closed: stopping',
    'asked to stop',
  ])
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
