import { queryFirst, queryStun } from '#internal/easytier/nat/queryStun'
import { createUdpTransport } from '#internal/easytier/transport/udpTransport'
import type { Endpoint } from '#internal/easytier/wire/socketAddress'
import { decodeStun, encodeStunResponse } from '#internal/easytier/wire/stun'
import { createFakeClock } from '#support/network/fakeClock'
import { createFakeUdpSocket, createReplayNet } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: STUN client')

const servers = [1, 2, 3].map((last) => ({ address: `8.8.8.${last}`, port: 3478 }))
const mapped = (port: number): Endpoint => ({ address: '20.0.0.1', port })

/** @param answers what each server answers to its nth request and after how long; undefined = nothing */
function setUp(answers: (server: number, request: number) => { port: number; afterMs: number } | undefined) {
  const clock = createFakeClock()
  const chance = createPrng(1)
  const { transports } = createReplayNet({})
  const requests = [0, 0, 0]
  const { socket, deliver } = createFakeUdpSocket(1, (bytes, to) => {
    const server = servers.findIndex(({ address }) => address === to.address)
    const request = (requests[server] ?? 0) + 1
    requests[server] = request
    const answer = answers(server, request)
    const message = decodeStun(bytes)
    if (!answer || !message) return
    const response = encodeStunResponse(message.transactionId, mapped(answer.port))
    clock.after(answer.afterMs, () => deliver(response, to))
  })
  const udp = createUdpTransport({ clock, randomBytes: chance.bytes, socket })
  const options = { transports, clock, randomBytes: chance.bytes }
  const timed = (work: Promise<readonly Endpoint[] | Endpoint | undefined>) =>
    work.then((result) => ({ result, at: clock.now() }))
  return { clock, udp, options, requests, timed }
}

const { signal } = new AbortController()

test('answers come in the order of arrival, and all of them end the query', async () => {
  const { clock, udp, options, timed } = setUp((server) => ({ port: server + 1, afterMs: 30 - server * 10 }))
  const query = timed(queryStun(options, udp, servers, signal))
  await clock.advance(1000)
  assert.equal(await query, { result: [3, 2, 1].map(mapped), at: 30 })
  assert.is(clock.timers, 0)
})

test('a lost datagram is sent again after 300 ms, four times in all', async () => {
  const { clock, udp, options, requests, timed } = setUp((server, request) =>
    server === 0 && request === 4 ? { port: 1, afterMs: 10 } : undefined,
  )
  const query = timed(queryFirst(options, udp, servers.slice(0, 1), signal))
  await clock.advance(5000)
  assert.equal(await query, { result: mapped(1), at: 910 })
  assert.equal(requests, [4, 0, 0])
})

test('silence ends after 1.2 s', async () => {
  const { clock, udp, options, requests, timed } = setUp(() => undefined)
  const query = timed(queryStun(options, udp, servers, signal))
  await clock.advance(5000)
  assert.equal(await query, { result: [], at: 1200 })
  assert.equal(requests, [4, 4, 4])
  assert.is(clock.timers, 0)
})

test('after one answer the others get 500 ms, after two 100 ms', async () => {
  const one = setUp((server) => (server === 0 ? { port: 1, afterMs: 10 } : undefined))
  const first = one.timed(queryStun(one.options, one.udp, servers, signal))
  await one.clock.advance(5000)
  assert.equal(await first, { result: [mapped(1)], at: 510 })
  const two = setUp((server) => (server < 2 ? { port: server + 1, afterMs: 10 } : undefined))
  const second = two.timed(queryStun(two.options, two.udp, servers, signal))
  await two.clock.advance(5000)
  assert.equal(await second, { result: [mapped(1), mapped(2)], at: 110 })
})

test('the first answer is sufficient for one address', async () => {
  const { clock, udp, options, timed } = setUp((server) => ({ port: server + 1, afterMs: 20 + server * 10 }))
  const query = timed(queryFirst(options, udp, servers, signal))
  await clock.advance(1000)
  assert.equal(await query, { result: mapped(1), at: 20 })
})

test('no servers and an abort end a query at once', async () => {
  const { clock, udp, options, requests } = setUp(() => undefined)
  assert.equal(await queryStun(options, udp, [], signal), [])
  const controller = new AbortController()
  const query = queryStun(options, udp, servers, controller.signal)
  controller.abort(new Error('stopped'))
  assert.equal(await query, [])
  assert.equal(await queryStun(options, udp, servers, controller.signal), [])
  assert.equal(requests, [1, 1, 1])
  assert.is(clock.timers, 0)
})

test.run()
