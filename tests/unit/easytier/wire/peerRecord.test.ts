import {
  decodePeerRecord,
  encodePeerRecord,
  MAX_RECORD_SIZE,
  type PeerRecord,
} from '#internal/easytier/wire/peerRecord'
import { MEMBER_FEATURES } from '#support/network/memberRecord'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: peer records')

const record: PeerRecord = {
  peerId: 0xf0000001,
  version: 3,
  routeId: '18446744073709551614',
  instanceId: [0x447f7200, 0xb85a4d4d, 0x9ff01cc5, 0xd053ae3c],
  hostname: 'scaffolding-mc-server-13448',
  address: '10.144.144.1',
  networkLength: 24,
  udpNatType: 5,
  tcpNatType: 6,
  updatedAtUnixMs: 1_790_000_123_456,
  programVersion: '2.6.4',
  features: { ...MEMBER_FEATURES, takesRowLists: true },
}

const NO_FEATURES = { ...MEMBER_FEATURES, avoidsRelay: false, takesKcp: false }

test('a record of our own comes back', () => {
  const { raw, ...read } = decodePeerRecord(encodePeerRecord(record)) ?? {}
  assert.equal(read, record)
  assert.ok(raw)
})

test('a record without address and instance comes back', () => {
  const bare = { ...record, address: undefined, instanceId: undefined, hostname: '' }
  const { raw: _, ...read } = decodePeerRecord(encodePeerRecord(bare)) ?? {}
  assert.equal(read, bare)
})

test('a record that is written wrongly is refused', () => {
  assert.throws(() => encodePeerRecord({ ...record, address: '10.144.144.256' }), /IPv4/)
})

test('a record does not share memory with the request that brought it', () => {
  const bytes = encodePeerRecord(record)
  const read = decodePeerRecord(bytes)
  bytes.fill(0)
  assert.is(read && decodePeerRecord(read.raw)?.hostname, record.hostname)
})

test('each feature has a flag of its own', () => {
  for (const name of Object.keys(NO_FEATURES)) {
    const features = { ...NO_FEATURES, [name]: true }
    assert.equal(decodePeerRecord(encodePeerRecord({ ...record, features }))?.features, features)
  }
})

test('a record without flags, times and texts has their defaults', () => {
  const { raw, ...read } = decodePeerRecord(Uint8Array.of(8, 1)) ?? {}
  assert.ok(raw)
  assert.equal(read, {
    peerId: 1,
    version: 0,
    routeId: '0',
    instanceId: undefined,
    hostname: '',
    address: undefined,
    networkLength: 0,
    udpNatType: 0,
    tcpNatType: 0,
    updatedAtUnixMs: 0,
    programVersion: '',
    features: NO_FEATURES,
  })
})

test('a damaged record, and one of more than 16 KiB, is none', () => {
  assert.is(decodePeerRecord(Uint8Array.of(0x0a, 0xff)), undefined)
  assert.is(decodePeerRecord(new Uint8Array(MAX_RECORD_SIZE + 1)), undefined)
})

test.run()
