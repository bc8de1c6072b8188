import { ConfigError } from '@lantern-room/base/settings'
import { assert, suite } from '#support/runner/suite'
import { readRelayConfig } from '../../../../../local-runner/room/relay/config'

const test = suite('room relay: settings')

test('without any there are three listeners on all addresses', () => {
  assert.equal(readRelayConfig({}), {
    host: undefined,
    name: 'lantern',
    logLevel: 'info',
    ports: { tcp: 11_010, udp: 11_010, ws: 11_011 },
    limits: {
      networks: 1000,
      membersPerNetwork: 64,
      connectionsPerAddress: 32,
      bytesPerSecond: 10_000_000,
      totalBytesPerSecond: undefined,
    },
    acceptsOthers: false,
  })
})

test('a relay that had a password does not start as one for everyone', () => {
  const password = 'correct-horse.battery'
  assert.throws(
    () => readRelayConfig({ ROOM_RELAY_PASSWORD: password }),
    ({ message }: Error) =>
      /ROOM_RELAY_PASSWORD.*open to everyone/.test(message) && !message.includes(password),
  )
})

test('every wrong one is named at once', () => {
  const wrong = {
    ROOM_RELAY_HOST: 'relay.example.com',
    ROOM_RELAY_NAME: 'a b',
    ROOM_RELAY_TCP_PORT: '65536',
    ROOM_RELAY_UDP_PORT: '-1',
    ROOM_RELAY_WS_PORT: 'x',
    ROOM_RELAY_MAX_ROOMS: '0',
    ROOM_RELAY_MAX_MEMBERS: '1',
    ROOM_RELAY_LINKS_PER_ADDRESS: '0',
    ROOM_RELAY_TOTAL_BYTES_PER_SECOND: '-1',
    ROOM_RELAY_OTHER_NETWORKS: 'perhaps',
    LOG_LEVEL: 'loud',
    ROOM_RELAY_BYTES_PER_SECOND: '9999',
  }
  try {
    readRelayConfig(wrong)
    assert.unreachable()
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    for (const name of Object.keys(wrong))
      assert.ok(
        error.problems.some((problem) => problem.startsWith(`${name}=`)),
        name,
      )
  }
})

test('addresses of both families are taken', () => {
  for (const host of ['127.0.0.1', '0.0.0.0', '::', '2001:db8::1'])
    assert.is(readRelayConfig({ ROOM_RELAY_HOST: host }).host, host)
})

test.run()
