import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import type { Transports } from '@lantern-room/easytier/transport'
import { type Endpoint, formatEndpoint } from '@lantern-room/easytier/wire'
import multicastDns, { type ResponsePacket } from 'multicast-dns'
import { ipv4 } from '#support/network/interfaceInfo'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { closesItsSockets } from '../leaks'
import { type Line, loopback, type NetworkInterfaces, turn, until } from './setting'

// Everything stays on loopback. Other tests may discover rooms there at the same time: each has keys of its own.

const test = suite('transports: rooms on the LAN', { timeoutMs: 30_000 })
const unique = `${process.pid.toString(16)}${Date.now().toString(16)}`
const service = '_lantern-room._tcp.local'
let stop: AbortController
let running: Promise<void>[]

test.before.each(() => {
  stop = new AbortController()
  running = []
})
const end = () => {
  stop.abort()
  return Promise.all(running)
}
closesItsSockets(test, end, 'soon')

function announce(key: string, port: number, transports: Transports = loopback()): void {
  running.push(transports.lan.announce(unique + key, port, stop.signal))
}

/** The listeners that were found, as `address:port`, each once, and the number of all reports. */
function discover(key: string, transports: Transports = loopback()) {
  const found = new Set<string>()
  const state = { found, count: 0 }
  const onFound = (at: Endpoint) => {
    found.add(formatEndpoint(at))
    state.count += 1
  }
  running.push(transports.lan.discover(unique + key, onFound, stop.signal))
  return state
}

/** Another program on the LAN. */
async function bystander() {
  const mdns = multicastDns({ interface: '127.0.0.1', bind: '0.0.0.0' })
  const records: ResponsePacket['answers'] = []
  mdns.on('response', ({ answers = [] }) => {
    records.push(...answers.filter(({ name, ...rest }) => JSON.stringify([name, rest]).includes(unique)))
  })
  await once(mdns, 'ready')
  return { mdns, records, close: () => new Promise<void>((resolve) => mdns.destroy(resolve)) }
}

test('a discovery that starts before or after the announcement finds the listener of its key at once, and no other', async () => {
  // Neither asks nor announces again by itself: whoever comes later finds it by a question of its own.
  const time = manualClock()
  const first = loopback({ clock: time.clock })
  const early = discover('a', first)
  await turn(100)
  announce('a', 4001, first)
  announce('b', 4002, first)
  while (early.found.size === 0) {
    time.fire()
    await turn(50)
  }
  const late = discover('a')
  const other = discover('b')
  const nobody = discover('c')
  await until(() => late.found.size > 0 && other.found.size > 0)
  await turn(300)
  assert.equal([...early.found], ['127.0.0.1:4001'])
  assert.equal([...late.found], ['127.0.0.1:4001'])
  assert.equal([...other.found], ['127.0.0.1:4002'])
  assert.is(nobody.count, 0)
})

test('two hosts of one key are both found, repeatedly', async () => {
  announce('twins', 4003)
  announce('twins', 4004)
  const seeker = discover('twins')
  await until(() => seeker.found.size === 2 && seeker.count >= 8)
})

test('the records are those of service discovery, with a goodbye at the end', async () => {
  const { records, close } = await bystander()
  announce('records', 4005)
  await until(() => records.length >= 4)
  const instance = `${unique}records.${service}`
  const target = `${unique}records.local`
  const expected = [
    { name: service, type: 'PTR', data: instance },
    { name: instance, type: 'SRV', data: { port: 4005, target, priority: 0, weight: 0 } },
    { name: instance, type: 'TXT', data: [Buffer.from('v=1')] },
    { name: target, type: 'A', data: '127.0.0.1' },
  ]
  const plain = (record: object) => ({ ...record, ttl: undefined, class: undefined, flush: undefined })
  assert.equal(records.slice(0, 4).map(plain), expected.map(plain))
  assert.ok(records.every((record) => 'ttl' in record && Number(record.ttl) > 0))
  const known = records.length
  const seeker = discover('records')
  await until(() => seeker.count > 0)
  stop.abort()
  await Promise.all(running)
  await until(() => records.slice(known).some((record) => 'ttl' in record && record.ttl === 0))
  const told = seeker.count
  await turn(50)
  assert.is(seeker.count, told, 'nothing is told after the signal')
  await close()
})

test('a query does not reveal which room is wanted', async () => {
  const { mdns, close } = await bystander()
  const asked: string[] = []
  mdns.on('query', ({ questions = [] }) => {
    const lines = questions.map(({ name, type }) => `${type} ${name}`)
    asked.push(...lines.filter((line) => line.includes('lantern')))
  })
  discover('secret')
  await until(() => asked.length >= 3)
  assert.equal([...new Set(asked)], [`PTR ${service}`])
  await close()
})

test('a goodbye, records of others and garbage find nothing and do no harm', async () => {
  const seeker = discover('hostile')
  const { mdns, close } = await bystander()
  const instance = `${unique}hostile.${service}`
  const srv = (port: number, ttl: number, name = instance) =>
    ({ type: 'SRV', name, ttl, data: { port, target: 'x.local' } }) as const
  const respond = (answers: ReturnType<typeof srv>[]) => new Promise((sent) => mdns.respond(answers, sent))
  await respond([srv(4006, 0)])
  await respond([srv(0, 20)])
  await respond([srv(4007, 20, `other.${service}`)])
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.setMulticastInterface('127.0.0.1')
  for (let i = 0; i < 3000; i++) {
    const bytes = Buffer.from(noise(i % 600))
    // Now and then an answer that claims the largest number of records.
    if (i % 3 === 0 && bytes.length > 12) bytes.set([0, 0, 0x84, 0, 0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff])
    if (i % 4 === 0 && bytes.length > 40) bytes.write(service.slice(0, 13), 20)
    // Few records and our name: these are decoded.
    if (i % 8 === 0 && bytes.length > 40) bytes.set([0, 0, 0x84, 0, 0, 1, 0, 2, 0, 0, 0, 1])
    await new Promise((sent) => socket.send(bytes, 5353, '224.0.0.251', sent))
  }
  await new Promise<void>((closed) => socket.close(closed))
  await turn(100)
  assert.is(seeker.count, 0)
  // The socket may still hold the rest.
  while (seeker.count === 0) {
    await respond([srv(4008, 20)])
    await turn(20)
  }
  assert.equal([...seeker.found], ['127.0.0.1:4008'])
  await close()
})

test('interfaces that come and go are followed, and a problem of one is logged once', async () => {
  const real = networkInterfaces()
  const absent = ipv4('203.0.113.77')
  let all: NetworkInterfaces = { ghost0: [absent] }
  const warnings: Line[] = []
  const time = manualClock()
  const setting = { clock: time.clock, scan: () => all, warnings, interfaces: undefined }
  announce('moving', 4009, loopback(setting))
  const seeker = discover('moving')
  await until(() => warnings.length > 0)
  await turn(300)
  assert.is(seeker.count, 0)
  time.fire()
  await turn(100)
  assert.is(warnings.length, 1)
  assert.is(warnings[0]?.fields?.interface, '203.0.113.77')
  all = { lo: real.lo ?? [ipv4('127.0.0.1', true, 8)] }
  time.fire()
  await until(() => seeker.count > 0)
  all = {}
  time.fire()
  await turn(100)
  const told = seeker.count
  await turn(2500)
  assert.is(seeker.count, told, 'its only interface has gone')
})

test('a signal that has aborted opens nothing', async () => {
  stop.abort()
  announce('late', 4010)
  discover('late')
  await Promise.all(running)
})

/** Timers that run on demand. */
function manualClock() {
  const timers = new Set<() => void>()
  return {
    clock: {
      now: () => performance.now(),
      unixTime: () => Date.now(),
      after(_ms: number, act: () => void) {
        const own = () => act()
        timers.add(own)
        return () => void timers.delete(own)
      },
    },
    fire() {
      const due = [...timers]
      timers.clear()
      for (const act of due) act()
    },
  }
}

test.run()
