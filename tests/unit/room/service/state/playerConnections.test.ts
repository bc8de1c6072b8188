import type { MemberLink } from '#internal/room/networkStatus'
import { RELAY_REASONS } from '#internal/room/networkStatus'
import {
  connection,
  connectionsOfGuests,
  connectionToHost,
  createGroupNumbers,
} from '#internal/room/service/state/playerConnections'
import { assert, suite } from '../../../../support/runner/suite'
import { each } from '../../../../support/values/each'

const test = suite('how players are connected')

const LINK: MemberLink = {
  memberId: '7',
  path: 'relay',
  transport: 'tcp',
  latencyMs: 41.234,
  loss: 1 / 3,
  sentPerSecond: 1000.4,
  receivedPerSecond: undefined,
  relayedBy: 'friend',
  relayReason: 'strict-routers',
}
const [STEVE, ALEX, HOST] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string]

test('a host sees each player of a member, with the sentence why it is relayed', () => {
  const players: Record<string, readonly string[]> = { 7: [STEVE, ALEX] }
  const all = connectionsOfGuests(
    [LINK, { ...LINK, memberId: '8' }],
    (id) => Number(id),
    (id) => players[id] ?? [],
  )
  assert.equal(each(all, 'machineId'), [STEVE, ALEX])
  assert.equal(all[0], {
    machineId: STEVE,
    group: 7,
    path: 'relay',
    carrier: 'tcp',
    latencyMs: 41.2,
    loss: 0.33,
    sentBytesPerSecond: 1000,
    receivedBytesPerSecond: null,
    relayedBy: 'friend',
    relayed: { code: 'strict-routers', ...RELAY_REASONS['strict-routers'] },
  })
  for (const one of all) assert.equal(connection.strict().parse(one), one)
})

test('groups have numbers, which show no address and stay the same', () => {
  const numberOf = createGroupNumbers()
  const groups = ['192.0.2.7', 'via 9', undefined, '192.0.2.7']
  assert.equal(groups.map(numberOf), [1, 2, null, 1])
})

test('a guest sees the host only, and not before its profile is known', () => {
  const host = { name: 'Alex', machineId: HOST, vendor: 'v', kind: 'HOST' } as const
  const direct: MemberLink = { ...LINK, path: 'direct', relayReason: undefined }
  assert.equal(connectionToHost([direct, LINK], []), [])
  const [one, second] = connectionToHost([direct, LINK], [host])
  assert.equal([one?.machineId, one?.path, one?.relayed, second], [HOST, 'direct', null, undefined])
})

test.run()
