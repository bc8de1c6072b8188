import {
  isQueryFor,
  mentionsService,
  portIn,
  recordsOf,
  SERVICE,
} from '#internal/adapters/transports/mdns/lanRecords'
import { assert, suite } from '#support/runner/suite'

const test = suite('multicast DNS records')

const key = 'abc'
const listener = { key, port: 4000, address: '10.0.0.1' }
type Query = Parameters<typeof isQueryFor>[0]
type Response = Parameters<typeof portIn>[0]
const responseOf = (answers: ReturnType<typeof recordsOf>, part = 'answers') =>
  ({ type: 'response', [part]: answers }) as unknown as Response

test('a listener has four records, with a short lifetime', () => {
  const instance = `abc.${SERVICE}`
  assert.equal(recordsOf(listener), [
    { type: 'PTR', name: SERVICE, ttl: 20, data: instance },
    {
      type: 'SRV',
      name: instance,
      ttl: 20,
      data: { port: 4000, target: 'abc.local', priority: 0, weight: 0 },
    },
    { type: 'TXT', name: instance, ttl: 20, data: 'v=1' },
    { type: 'A', name: 'abc.local', ttl: 20, data: '10.0.0.1' },
  ])
})

test('the port is that of the same key, wherever the record stands; a goodbye and port 0 have none', () => {
  assert.is(portIn(responseOf(recordsOf(listener)), key), 4000)
  assert.is(portIn(responseOf(recordsOf(listener), 'additionals'), key), 4000)
  assert.is(portIn(responseOf(recordsOf(listener)), 'other'), undefined)
  assert.is(portIn(responseOf(recordsOf(listener, 0)), key), undefined)
  assert.is(portIn(responseOf(recordsOf({ ...listener, port: 0 })), key), undefined)
  assert.is(portIn(responseOf([]), key), undefined)
})

test('queries are for the service or the listener', () => {
  const query = (...names: string[]) =>
    ({ type: 'query', questions: names.map((name) => ({ type: 'PTR', name })) }) as unknown as Query
  assert.ok(isQueryFor(query(SERVICE), key))
  assert.ok(isQueryFor(query('_http._tcp.local', `abc.${SERVICE}`), key))
  assert.not.ok(isQueryFor(query(`other.${SERVICE}`, '_http._tcp.local'), key))
  assert.not.ok(isQueryFor(query(), key))
})

test('only datagrams that name the service and claim few records are worth decoding', () => {
  const datagram = (counts: readonly number[], name = '_lantern-room') => {
    const bytes = Buffer.alloc(12 + name.length)
    counts.forEach((count, at) => {
      bytes.writeUInt16BE(count, 4 + at * 2)
    })
    bytes.write(name, 12)
    return bytes
  }
  assert.ok(mentionsService(datagram([1, 0, 0, 0])))
  assert.ok(mentionsService(datagram([16, 16, 16, 16])))
  assert.not.ok(mentionsService(datagram([16, 16, 16, 17])))
  assert.not.ok(mentionsService(datagram([65_535, 0, 0, 0])))
  assert.not.ok(mentionsService(datagram([1, 0, 0, 0], '_http')))
  assert.not.ok(mentionsService(Buffer.from('_lantern-ro')))
})

test.run()
