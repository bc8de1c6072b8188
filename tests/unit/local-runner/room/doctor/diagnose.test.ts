import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { suite } from '#support/runner/suite'
import { diagnose } from '../../../../../local-runner/room/doctor/diagnose'
import type { DoctorDependencies } from '../../../../../local-runner/room/doctor/diagnosis'

const test = suite('room: what the doctor concludes')

const WELL: DoctorDependencies = {
  nodeVersion: '20.19.0',
  platform: 'linux',
  nodes: ['tcp://n:1'],
  isLoopbackOnly: false,
  isPrivate: false,
  ports: { room: 5062, scaffolding: 13_448 },
  dataFolder: async () => '/data',
  isPortFree: async () => true,
  multicast: async () => [{ interface: '192.168.1.2', isLoopback: false, problem: undefined }],
  worlds: async () => [],
  probeNode: async () => ({ latencyMs: 12.5, isSharedNode: true }),
  portMapping: async () => 'upnp',
  natTypes: async () => ({ udp: 'cone', tcp: 'open', outlook: 'it will do' }),
}
const never = () => new Promise<never>(() => {})
const refused = async () => ({ problem: 'connection refused' })
const deaf = async () => [{ interface: '192.168.1.2', isLoopback: false, problem: 'not heard' }]

test('a machine on which all works can meet both ways', async () => {
  const { findings, ways, canMeet } = await diagnose(WELL, never)
  assert.equal([canMeet, [...ways].sort()], [true, ['lan', 'nodes']])
  assert.equal(
    findings.filter(({ state }) => state === 'failed'),
    [],
  )
  assert.ok(findings.some(({ text }) => text === 'NAT: UDP cone, TCP open; it will do'))
})

test('whether the router opens ports is told, unless it is not to be asked', async () => {
  const told = async (method: 'upnp' | 'off' | undefined) => {
    const { findings } = await diagnose({ ...WELL, portMapping: async () => method }, never)
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
    const diagnosis = await diagnose({ ...WELL, ...change }, never)
    assert.equal(diagnosis.ways, ways)
    assert.is(diagnosis.canMeet, ways.length > 0)
    for (const { state, hint, text } of diagnosis.findings) if (state === 'failed') assert.ok(hint, text)
  })
}

test('without a data folder nobody meets', async () => {
  const dataFolder = () => Promise.reject(new ServiceError('unavailable', 'No folder.'))
  const { canMeet, findings } = await diagnose({ ...WELL, dataFolder }, never)
  assert.is(canMeet, false)
  assert.ok(findings.some(({ text, state }) => text === 'No folder.' && state === 'failed'))
})

test('a check that never ends, or throws, is a finding, and the others count', async () => {
  const machine = { ...WELL, multicast: never, worlds: () => Promise.reject(new Error('odd')) }
  const late = async (): Promise<never> => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    throw new Error('no answer in 3 s')
  }
  const { findings, ways } = await diagnose(machine, late)
  assert.equal(ways, ['nodes'])
  const failed = findings.filter(({ state }) => state === 'failed').map(({ check }) => check)
  assert.equal(failed, ['multicast', 'worlds'])
})

test('an old Node.js is told, whatever its number looks like', async () => {
  for (const [version, state] of [
    ['20.18.9', 'failed'],
    ['v18.20.0', 'failed'],
    ['20.19.0', 'ok'],
    ['v24.0.0', 'ok'],
  ] as const) {
    const { findings } = await diagnose({ ...WELL, nodeVersion: version }, never)
    assert.is(findings.find(({ check }) => check === 'node')?.state, state, version)
  }
})

test('open rooms are told to be guessable, private ones are not', async () => {
  const secrecy = async (isPrivate: boolean) =>
    (await diagnose({ ...WELL, isPrivate }, never)).findings.filter(({ check }) => check === 'secrecy').length
  assert.equal([await secrecy(false), await secrecy(true)], [1, 0])
})

test.run()

async function member() {
  return { latencyMs: 1, isSharedNode: false }
}

async function loopback() {
  return [{ interface: '127.0.0.1', isLoopback: true, problem: undefined }]
}
