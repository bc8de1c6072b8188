import type { DoctorDependencies } from '@lantern-room/room/doctor'
import { diagnose } from '@lantern-room/room/doctor'
import { createFakeClock } from '#support/network/fakeClock'
import { soundMachine } from '#support/room/soundMachine'
import { assert, suite } from '#support/runner/suite'
import { plainText } from '../../../../../local-runner/room/cli/doctor'

const test = suite('room doctor in plain words')

async function told(changes: Partial<DoctorDependencies>, language: 'en' | 'zh-CN' = 'en') {
  return plainText(await diagnose({ ...soundMachine(createFakeClock()), ...changes }), language)
}

const adapter = (at: number) => ({ interface: `10.0.${at}.1`, isLoopback: false, problem: 'ENODEV' })

test('when all is well it is one line, also if one of the shared nodes does not answer', async () => {
  const line = 'All is well: you can meet your friends over the internet and on the local network.\n'
  const probeNode = async (url: string) =>
    url === 'tcp://gone:1' ? { problem: 'no answer' } : { latencyMs: 1, isSharedNode: true }
  for (const changes of [{}, { nodes: ['tcp://n:1', 'tcp://gone:1'], probeNode }])
    assert.is(await told(changes), line)
})

test('twenty network adapters that fail are one line', async () => {
  const multicast = async () => [
    { interface: '192.168.1.2', isLoopback: false, problem: undefined },
    ...Array.from({ length: 20 }, (_, at) => adapter(at)),
  ]
  const lines = (await told({ multicast })).trim().split('\n')
  assert.is(lines.length, 2)
  assert.match(
    lines[1] ?? '',
    /are not found through 10\.0\.0\.1, 10\.0\.1\.1 and 18 others\. Allow this program/,
  )
  const [, chinese = ''] = (await told({ multicast }, 'zh-CN')).trim().split('\n')
  assert.match(chinese, /^- 10\.0\.0\.1、10\.0\.1\.1等另外 18 个 上的组播不通。请在防火墙/)
})

for (const [outage, english, chinese] of [
  ['no-internet', /^- This computer is not connected to the internet\. /m, /没有连接到互联网/],
  ['wifi-login', /Log in to this wifi first/, /Wi-Fi 登录/],
] as const) {
  test(`${outage} is told instead of each node`, async () => {
    const changes = {
      nodes: ['tcp://a:1', 'tcp://b:1'],
      probeNode: async () => ({ problem: 'no answer' }),
      outage: async () => outage,
    }
    const text = await told(changes)
    assert.match(text, english)
    assert.is(text.trim().split('\n').length, 2)
    assert.match(await told(changes, 'zh-CN'), chinese)
  })
}

test.run()
