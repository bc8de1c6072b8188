import { diagnose } from '#internal/room/doctor/diagnose'
import type { DoctorDependencies } from '#internal/room/doctor/diagnosis'
import { createFakeClock } from '#support/network/fakeClock'
import { soundMachine } from '#support/room/soundMachine'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: what the doctor concludes')

const WELL = soundMachine(createFakeClock())
const never = () => new Promise<never>(() => {})
const refused = async () => ({ problem: 'connection refused' })
const deaf = async () => [{ interface: '192.168.1.2', isLoopback: false, problem: 'not heard' }]

test('a machine on which all works can meet both ways', async () => {
  const { findings, ways, canMeet } = await diagnose(WELL)
  assert.equal([canMeet, [...ways].sort()], [true, ['lan', 'nodes']])
  assert.equal(
    findings.filter(({ state }) => state === 'failed'),
    [],
  )
  assert.ok(
    findings.some(
      ({ text, subject }) =>
        text === 'you connect directly with nearly everybody' && subject === 'UDP cone, TCP open',
    ),
  )
})

const CASES: readonly (readonly [string, Partial<DoctorDependencies>, readonly string[]])[] = [
  ['a node alone', { multicast: deaf }, ['nodes']],
  ['the LAN alone', { probeNode: refused }, ['lan']],
  ['neither', { probeNode: refused, multicast: deaf }, []],
  ['no interface', { probeNode: refused, multicast: async () => [] }, []],
  ['a node that is a member of a network', { multicast: deaf, probeNode: member }, []],
  ['loopback alone where more was wanted', { probeNode: refused, multicast: loopback }, []],
  ['loopback that was asked for', { probeNode: refused, multicast: loopback, isLoopbackOnly: true }, ['lan']],
]
for (const [what, change, ways] of CASES) {
  test(`with ${what} players can${ways.length ? '' : 'not'} meet`, async () => {
    const diagnosis = await diagnose({ ...WELL, ...change })
    assert.equal(diagnosis.ways, ways)
    assert.is(diagnosis.canMeet, ways.length > 0)
    for (const { state, hint, text } of diagnosis.findings) if (state === 'failed') assert.ok(hint, text)
  })
}

test('a check that never ends, or throws, is a finding without its own words, and the others count', async () => {
  const clock = createFakeClock()
  const odd = () => Promise.reject(new Error('ENOENT: /home/me/secret'))
  const diagnosis = diagnose({ ...WELL, clock, multicast: never, worlds: odd })
  await clock.advance(3500)
  const { findings, ways } = await diagnosis
  assert.equal(ways, ['nodes'])
  const failed = findings.filter(({ state }) => state === 'failed')
  assert.equal(
    failed.map(({ id, check }) => [id, check]),
    [
      ['check-failed', 'multicast'],
      ['check-failed', 'worlds'],
    ],
  )
  assert.not.match(JSON.stringify(failed), /ENOENT|home/)
  assert.is(clock.timers, 0)
})

async function member() {
  return { latencyMs: 1, isSharedNode: false }
}

async function loopback() {
  return [{ interface: '127.0.0.1', isLoopback: true, problem: undefined }]
}

test.run()
