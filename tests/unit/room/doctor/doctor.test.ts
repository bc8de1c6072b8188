import { createDoctor } from '#core/room/doctor/doctor'
import { createFakeClock } from '#support/network/fakeClock'
import { soundMachine } from '#support/room/soundMachine'
import { assert, suite } from '#support/runner/suite'

const test = suite('the doctor of a service', { setUp: openDoctor })

function openDoctor(dataFolder: () => Promise<string> = async () => '/data') {
  const clock = createFakeClock()
  const stopping = new AbortController()
  let runs = 0
  const checks = {
    ...soundMachine(clock),
    dataFolder: () => {
      runs += 1
      return dataFolder()
    },
  }
  const current = () => ({ nodes: ['tcp://n:1'], ports: { room: undefined, scaffolding: 13_448 } })
  const doctor = createDoctor({ checks, current, version: '1.2.3', stopping: stopping.signal })
  return { clock, stopping, doctor, runs: () => runs }
}

test('callers at the same time share one run, a later one begins anew', async ({ doctor, runs }) => {
  const [one, other] = await Promise.all([doctor(), doctor(), doctor()])
  assert.equal(one, other)
  assert.is(runs(), 1)
  await doctor()
  assert.is(runs(), 2)
})

test('a check that never ends delays it by 3.5 s and no more', async () => {
  const { doctor, clock } = openDoctor(() => new Promise(() => {}))
  const answers = Promise.all([doctor(), doctor()])
  await clock.advance(3500)
  for (const { findings, canMeet } of await answers) {
    assert.is(canMeet, false)
    assert.equal(
      findings.filter(({ state }) => state === 'failed').map(({ id, subject }) => [id, subject]),
      [['check-failed', 'data-folder']],
    )
  }
  assert.is(clock.timers, 0)
})

test('no run begins once the program ends', async ({ doctor, stopping, runs }) => {
  stopping.abort(new Error('the end'))
  await doctor().then(
    () => assert.unreachable(),
    (error) => assert.match(String(error), 'the end'),
  )
  assert.is(runs(), 0)
})

test.run()
