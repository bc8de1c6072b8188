import { readRoomConfig } from '#core/room/config'
import { diagnose } from '#core/room/doctor/diagnose'
import { makeReport, reportRecord } from '#core/room/report/report'
import { createFakeClock } from '#support/network/fakeClock'
import { soundMachine } from '#support/room/soundMachine'
import { assert, suite } from '#support/runner/suite'

const test = suite('the report')

const CODE = 'U/YNZE-U61D-2206-HXRG'
const SECRETS = [
  '2206-HXRG',
  'a-token.0123456789abcdef',
  '/home/ada',
  '8.8.4.4',
  '2a01:4f8::1',
  '0123456789abcdef0123456789abcdef',
  'Steve',
  'AQIDBAUGBwgJCgsMDQ4PEA',
]
const LOG = [
  `2026-01-01T00:00:00.000Z info joins ${CODE} {"by":"lantern-room:AQIDBAUGBwgJCgsMDQ4PEA"}`,
  '2026-01-01T00:00:01.000Z debug link {"kind":"node","node":1,"isConnected":true}',
  '2026-01-01T00:00:02.000Z debug dialling a member {"urls":["udp://8.8.4.4:1","tcp://[2a01:4f8::1]:2"]}',
  '2026-01-01T00:00:03.000Z warn cannot open /home/ada/.local/share/lantern-room/room/id.json',
  '2026-01-01T00:00:04.000Z info Authorization a-token.0123456789abcdef',
]

async function makeOne() {
  const machine = { ...soundMachine(createFakeClock()), dataFolder: async () => '/home/ada/data' }
  return makeReport({
    version: '1.2.3',
    builtAt: '2026-01-01T00:00:00.000Z',
    platform: 'a-b-c-d',
    networkVersion: 'n',
    config: readRoomConfig({
      ROOM_API_TOKEN: 'a-token.0123456789abcdef',
      ROOM_NODES: 'tcp://8.8.4.4:11010',
      ROOM_ALLOWED_PLAYERS: 'Steve',
      DATA_DIR: '/home/ada/data',
    }),
    status: {
      roomCode: CODE,
      players: [{ name: 'Steve' }],
      guests: [{ name: 'Steve' }],
      connections: [{ machineId: '0123456789abcdef0123456789abcdef', path: 'relay' }],
    },
    doctor: { version: '1.2.3', ...(await diagnose(machine)) },
    logText: `${LOG.join('\n')}\n`,
    home: '/home/ada',
    unixTime: Date.UTC(2026, 0, 2),
  })
}

test('it is what the schema of the document says', async () => {
  const report = await makeOne()
  assert.equal(reportRecord.strict().parse(report), report)
  assert.equal(report.log.length, LOG.length)
  assert.equal(report.status?.connections, [{ machineId: '[id-1]', path: 'relay' }])
  assert.is(report.settings.hasToken, true)
  assert.equal(report.settings.admission, { needsApproval: false, allowed: 1 })
  assert.is(report.createdAt, '2026-01-02T00:00:00.000Z')
})

for (const secret of SECRETS) {
  test(`it does not have ${secret}`, async () => {
    const text = JSON.stringify(await makeOne())
    assert.is(text.toLowerCase().indexOf(secret.toLowerCase()), -1)
  })
}

test('equal addresses are one number, so that a reader sees what belongs together', async () => {
  const report = await makeOne()
  const [node] = report.settings.nodes as string[]
  const host = /\[ip-\d+\]/.exec(node ?? '')?.[0] ?? 'none'
  assert.ok(report.log[2]?.includes(`udp://${host}:1`), report.log[2])
})

test.run()
