import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { diagnose } from '#core/room/doctor/diagnose'
import type { DoctorDependencies } from '#core/room/doctor/diagnosis'
import { createFakeClock } from '#support/network/fakeClock'
import { soundMachine } from '#support/room/soundMachine'
import { suite } from '#support/runner/suite'

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
  assert.ok(findings.some(({ text }) => text === 'NAT: UDP cone, TCP open; it will do'))
})

test('whether the router opens ports is told, unless it is not to be asked', async () => {
  const told = async (method: 'upnp' | 'off' | undefined) => {
    const { findings } = await diagnose({ ...WELL, portMapping: async () => method })
    return findings
      .filter(({ check }) => check === 'port-mapping')
      .map(({ state, text }) => `${state}: ${text}`)
  }
  assert.equal(await told('upnp'), ['ok: the router opens ports by UPnP'])
  assert.match((await told(undefined))[0] ?? '', /^note: the router opens no ports/)
  assert.equal(await told('off'), [])
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

test('without a data folder nobody meets', async () => {
  const dataFolder = () => Promise.reject(new ServiceError('unavailable', 'No folder.'))
  const { canMeet, findings } = await diagnose({ ...WELL, dataFolder })
  assert.is(canMeet, false)
  assert.ok(findings.some(({ text, state }) => text === 'No folder.' && state === 'failed'))
})

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

test("the system's own words about multicast stay here, its code is told", async () => {
  const multicast = async () => [
    { interface: '192.168.1.2', isLoopback: false, problem: 'send EHOSTUNREACH 224.0.2.60:4445' },
  ]
  const { findings } = await diagnose({ ...WELL, multicast })
  const found = findings.find(({ id }) => id === 'multicast-fails')
  assert.is(found?.text, 'multicast on 192.168.1.2: the system refuses it (EHOSTUNREACH)')
  assert.is(found?.subject, '192.168.1.2')
})

test('a port that the program has open itself is not looked at', async () => {
  const ports = { room: undefined, scaffolding: undefined }
  const { findings } = await diagnose({ ...WELL, ports, isPortFree: async () => false })
  assert.not.ok(findings.some(({ check }) => check.endsWith('-port')))
})

test('an old Node.js is told, whatever its number looks like', async () => {
  for (const [version, state] of [
    ['20.18.9', 'failed'],
    ['v18.20.0', 'failed'],
    ['20.19.0', 'ok'],
    ['v24.0.0', 'ok'],
  ] as const) {
    const { findings } = await diagnose({ ...WELL, nodeVersion: version })
    assert.is(findings.find(({ check }) => check === 'node')?.state, state, version)
  }
})

test('open rooms are told to be guessable, private ones are not', async () => {
  const secrecy = async (isPrivate: boolean) =>
    (await diagnose({ ...WELL, isPrivate })).findings.filter(({ check }) => check === 'secrecy').length
  assert.equal([await secrecy(false), await secrecy(true)], [1, 0])
})

test.run()

async function member() {
  return { latencyMs: 1, isSharedNode: false }
}

async function loopback() {
  return [{ interface: '127.0.0.1', isLoopback: true, problem: undefined }]
}
