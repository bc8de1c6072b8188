import { ConfigError } from '#core/environment'
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
      addressBytesPerSecond: 20_000_000,
      bytesPerSecond: 10_000_000,
      totalBytesPerSecond: undefined,
    },
    acceptsOthers: false,
    metricsPort: undefined,
    quota: undefined,
    password: undefined,
    certificate: undefined,
  })
})

test('0 leaves a listener out, any takes a free port', () => {
  const { ports } = readRelayConfig({ ROOM_RELAY_TCP_PORT: '0', ROOM_RELAY_UDP_PORT: 'Any' })
  assert.equal(ports, { tcp: undefined, udp: 0, ws: 11_011 })
  assert.throws(
    () => readRelayConfig({ ROOM_RELAY_TCP_PORT: '0', ROOM_RELAY_UDP_PORT: '0', ROOM_RELAY_WS_PORT: '0' }),
    (error: unknown) => error instanceof ConfigError,
  )
})

test('a quota is counted in the data folder', () => {
  const quotaOf = (bytes: string) =>
    readRelayConfig({ ROOM_RELAY_MONTHLY_BYTES: bytes, DATA_DIR: '/data' }).quota
  assert.equal(quotaOf('1000'), { bytes: 1000, dataDir: '/data' })
  assert.is(quotaOf('0'), undefined)
})

test('a password leaves the ws port alone', () => {
  const password = 'correct-horse.battery'
  const config = readRelayConfig({ ROOM_RELAY_PASSWORD: password, ROOM_RELAY_UDP_PORT: '0' })
  assert.is(config.password, password)
  assert.equal(config.ports, { tcp: undefined, udp: undefined, ws: 11_011 })
  for (const name of ['ROOM_RELAY_TCP_PORT', 'ROOM_RELAY_UDP_PORT'])
    assert.throws(
      () => readRelayConfig({ ROOM_RELAY_PASSWORD: password, [name]: 'any' }),
      (error: unknown) => error instanceof ConfigError && error.message.includes(name),
    )
  for (const wrong of ['too-short', 'a password with spaces', 'of/two/parts-and-more', 'ä'.repeat(16)])
    assert.throws(
      () => readRelayConfig({ ROOM_RELAY_PASSWORD: wrong }),
      (error: unknown) => error instanceof ConfigError && !error.message.includes(wrong),
    )
})

test('a certificate and its key go together', () => {
  const both = { ROOM_RELAY_TLS_CERT: '/cert.pem', ROOM_RELAY_TLS_KEY: '/key.pem' }
  assert.equal(readRelayConfig(both).certificate, { certFile: '/cert.pem', keyFile: '/key.pem' })
  for (const name of Object.keys(both))
    assert.throws(
      () => readRelayConfig({ [name]: '/one.pem' }),
      (error: unknown) => error instanceof ConfigError && error.message.includes('go together'),
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
    ROOM_RELAY_ADDRESS_BYTES_PER_SECOND: 'fast',
    ROOM_RELAY_TOTAL_BYTES_PER_SECOND: '-1',
    ROOM_RELAY_MONTHLY_BYTES: '1 TB',
    ROOM_RELAY_OTHER_NETWORKS: 'perhaps',
    ROOM_RELAY_METRICS_PORT: '65536',
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
