import type { Environment } from '@lantern-room/base/settings'
import { DEFAULT_STUN, readRoomConfig } from '#internal/room/config'
import { DEFAULT_NODES } from '#internal/room/nodes/nodes'
import { assert, suite } from '#support/runner/suite'
import { problemsOf } from '#support/values/failures'

const test = suite('the room service’s settings')

const problems = (env: Environment) => problemsOf(() => readRoomConfig(env))

test('without any setting it has the decided defaults', () => {
  assert.equal(readRoomConfig({}), {
    port: 5062,
    dataDir: undefined,
    token: undefined,
    allowedOrigins: [],
    scaffoldingPort: 13_448,
    lanInterfaces: undefined,
    nodes: DEFAULT_NODES,
    nodesFrom: 'default',
    stunServers: DEFAULT_STUN,
    isDirect: true,
    mapsPorts: true,
    friendRelay: false,
    friendRelayBytesPerSecond: 1_000_000,
    isPrivate: false,
    admission: { needsApproval: false, allowed: [] },
    invitationPage: undefined,
    heartbeatMs: 5000,
    logLevel: 'info',
    logFileBytes: 1_000_000,
    logFiles: 3,
  })
})

test('every setting is read', () => {
  assert.equal(
    readRoomConfig({
      ROOM_PORT: '0',
      DATA_DIR: ' /data ',
      ROOM_API_TOKEN: 'abc.DEF-123~_+/==',
      SCAFFOLDING_PORT: '1025',
      ROOM_ALLOWED_ORIGINS: 'https://launcher.example.com/ , http://localhost:3000',
      ROOM_LAN_INTERFACES: '127.0.0.1, eth0,fe80::1%eth0',
      ROOM_NODES: 'tcp://node.example.com',
      ROOM_STUN: 'stun.example.com:3478,[::1]:3478',
      ROOM_DIRECT: 'OFF',
      ROOM_PORT_MAPPING: 'off',
      ROOM_FRIEND_RELAY: 'on',
      ROOM_FRIEND_RELAY_BYTES_PER_SECOND: '250000',
      ROOM_INVITATION_PAGE: 'https://play.example.com/join',
      ROOM_PRIVATE: '1',
      ROOM_APPROVAL: 'true',
      ROOM_ALLOWED_PLAYERS: 'Steve, Kim',
      ROOM_HEARTBEAT_MS: '200',
      LOG_LEVEL: 'debug',
      ROOM_LOG_FILE_BYTES: '2000000',
      ROOM_LOG_FILES: '5',
    }),
    {
      port: 0,
      dataDir: '/data',
      token: 'abc.DEF-123~_+/==',
      scaffoldingPort: 1025,
      allowedOrigins: ['https://launcher.example.com', 'http://localhost:3000'],
      lanInterfaces: ['127.0.0.1', 'eth0', 'fe80::1%eth0'],
      nodes: ['tcp://node.example.com:11010'],
      nodesFrom: 'environment',
      stunServers: ['stun.example.com:3478', '[::1]:3478'],
      isDirect: false,
      mapsPorts: false,
      friendRelay: true,
      friendRelayBytesPerSecond: 250_000,
      isPrivate: true,
      admission: { needsApproval: true, allowed: ['Steve', 'Kim'] },
      invitationPage: 'https://play.example.com/join',
      heartbeatMs: 200,
      logLevel: 'debug',
      logFileBytes: 2_000_000,
      logFiles: 5,
    },
  )
})

test('every wrong setting is told at once, with what is allowed', () => {
  const wrong = {
    ROOM_PORT: '65536',
    ROOM_API_TOKEN: 'short',
    ROOM_ALLOWED_ORIGINS: 'launcher.example.com',
    SCAFFOLDING_PORT: '80',
    ROOM_LAN_INTERFACES: 'eth 0',
    ROOM_NODES: 'node.example.com:11010',
    ROOM_STUN: 'stun.example.com',
    ROOM_DIRECT: 'maybe',
    ROOM_PORT_MAPPING: 'maybe',
    ROOM_FRIEND_RELAY: 'maybe',
    ROOM_FRIEND_RELAY_BYTES_PER_SECOND: '9999',
    ROOM_INVITATION_PAGE: 'http://play.example.com/',
    ROOM_PRIVATE: 'perhaps',
    ROOM_HEARTBEAT_MS: '10001',
    LOG_LEVEL: 'loud',
  }
  const told = problems(wrong)
  assert.equal(
    told.map((problem) => problem.split('=')[0]),
    Object.keys(wrong).sort((one, other) => order(told, one) - order(told, other)),
  )
  for (const problem of told) assert.match(problem, /^[A-Z_]+=.*: allowed is .{5,}\.$/)
  const text = told.join('\n')
  for (const words of [
    /from 0 to 65535/,
    /from 1025 to 65535/,
    /on, off/,
    /true or false/,
    /debug, info, warn, error/,
  ]) {
    assert.match(text, words)
  }
  assert.not.match(text, /short/)
})

const order = (told: readonly string[], name: string) =>
  told.findIndex((problem) => problem.startsWith(`${name}=`))

test('nodes: empty and none mean that there is none, unset means the default', () => {
  for (const ROOM_NODES of ['', '  ', 'none', ' None '])
    assert.equal(readRoomConfig({ ROOM_NODES }), {
      ...readRoomConfig({}),
      nodes: [],
      nodesFrom: 'environment',
    })
  assert.equal(readRoomConfig({ ROOM_NODES: undefined }).nodes, DEFAULT_NODES)
  for (const ROOM_STUN of ['', 'none']) assert.equal(readRoomConfig({ ROOM_STUN }).stunServers, [])
})

test('nodes are read with every scheme, default ports, IPv6 and the path of a list', () => {
  for (const [written, read] of [
    ['tcp://a.b', 'tcp://a.b:11010'],
    ['UDP://a.b:1', 'udp://a.b:1'],
    ['ws://a.b', 'ws://a.b:80'],
    ['wss://a.b/', 'wss://a.b:443'],
    ['http://a.b/nodes.txt', 'http://a.b:80/nodes.txt'],
    ['https://a.b:8443/x?y=z', 'https://a.b:8443/x?y=z'],
    ['tcp://[2001:db8::1]:11010', 'tcp://[2001:db8::1]:11010'],
    ['udp://[::1]', 'udp://[::1]:11010'],
  ] as const) {
    assert.equal(readRoomConfig({ ROOM_NODES: written }).nodes, [read])
  }
})

test('nodes that cannot be are refused', () => {
  for (const ROOM_NODES of [
    ...['tcp://', 'tcp://a.b:0', 'tcp://a.b:65536', 'ftp://a.b', 'a.b:1', 'tcp://a b', 'tcp://::1:1'],
    ...['tcp://user@a.b', 'tcp://a.b:1 tcp://c.d:1', ',', 'tcp://a.b,nonsense'],
    Array.from({ length: 9 }, (_, at) => `tcp://n${at}`).join(','),
  ]) {
    assert.is(problems({ ROOM_NODES }).length, 1, ROOM_NODES)
  }
  const eight = Array.from({ length: 8 }, (_, at) => `tcp://n${at}`).join(',')
  assert.is(readRoomConfig({ ROOM_NODES: eight }).nodes.length, 8)
})

test('origins are origins', () => {
  for (const ROOM_ALLOWED_ORIGINS of [
    '*',
    'null',
    'https://a.b/path',
    'https://a.b/?x',
    'file:///x',
    'a.b',
  ]) {
    assert.is(problems({ ROOM_ALLOWED_ORIGINS }).length, 1, ROOM_ALLOWED_ORIGINS)
  }
})

test('a token that no header can carry is refused', () => {
  for (const ROOM_API_TOKEN of ['1234567', 'with space in it', 'ümlaut-token', 'a=b=c=d=e', 'x,yyyyyyyyy']) {
    assert.is(problems({ ROOM_API_TOKEN }).length, 1, ROOM_API_TOKEN)
  }
})

test.run()
