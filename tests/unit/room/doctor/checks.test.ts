import { diagnose } from '#internal/room/doctor/diagnose'
import { createFakeClock } from '#support/network/fakeClock'
import { soundMachine } from '#support/room/soundMachine'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: the checks of the doctor')

const WELL = soundMachine(createFakeClock())

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

test("the system's own words about multicast stay here, its code is told", async () => {
  const multicast = async () => [
    { interface: '192.168.1.2', isLoopback: false, problem: 'send EHOSTUNREACH 224.0.2.60:4445' },
  ]
  const { findings } = await diagnose({ ...WELL, multicast })
  const found = findings.find(({ id }) => id === 'multicast-fails')
  assert.is(found?.text, 'multicast on 192.168.1.2: the system refuses it (EHOSTUNREACH)')
  assert.is(found?.subject, '192.168.1.2')
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
