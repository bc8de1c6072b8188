import { createManySocketsServer } from '#core/easytier/holePunching/strategies/manySocketsServer'
import { rpcMethods } from '#core/easytier/wire/messages'
import { assert, suite } from '#support/runner/suite'
import { createPunchParts } from './punchParts'

const test = suite('easytier: many sockets for a caller')

const CALLER = 7
const ADDRESS = { address: '30.0.0.1', port: 5000 }
const { request } = rpcMethods.sendPunchPacketBothEasySym

const CALL = {
  udpSocketCount: 3,
  publicIp: { addr: 0x1e000001 },
  dstPortNum: ADDRESS.port,
  transactionId: 9,
  waitTimeMs: 2000,
}

/** A server, and calls of a member. */
function start(changes?: Parameters<typeof createPunchParts>[0]) {
  const parts = createPunchParts(changes)
  const server = createManySocketsServer(parts.context, () => {})
  const call = (fields: Partial<typeof CALL> = {}, signal = parts.signal) => {
    const decoded = request.decode(request.encode({ ...CALL, ...fields }))
    assert.ok(decoded)
    return server.serve(decoded, CALLER, signal)
  }
  return { ...parts, call }
}

test('answers at once with the address of a new socket, and opens as many as wanted, 100 at most', async () => {
  for (const [wanted, count] of [
    [3, 3],
    [100, 100],
    [60_000, 100],
  ] as const) {
    const { call, openPorts, controller } = start()
    const base = await call({ udpSocketCount: wanted })
    assert.equal(base, { address: '20.0.0.1', port: 40_001 })
    const expected = Array.from({ length: count }, (_, at) => at + 2)
    assert.equal(openPorts(), expected)
    controller.abort()
  }
})

test('every socket sends to the caller each 500 ms, and answers its datagrams each 100 ms', async () => {
  const { clock, call, datagrams, receive, controller } = start()
  await call()
  await clock.advance(550)
  assert.equal(
    datagrams,
    [0, 500].flatMap((at) => [2, 3, 4].map((port) => ({ at, port, id: 9, to: ADDRESS, member: CALLER }))),
  )
  datagrams.length = 0
  const from = { address: '30.0.0.1', port: 5001 }
  receive(3, 8, from)
  receive(3, 9, from)
  receive(3, 9, from)
  await clock.advance(200)
  const replies = [600, 700].map((at) => ({ at, port: 3, id: 9, to: from, member: CALLER }))
  assert.equal(datagrams, replies)
  controller.abort()
  await clock.advance(1000)
  assert.equal([datagrams.length, clock.timers], [2, 0])
})

for (const [waitTimeMs, openMs] of [
  [2000, 3000],
  [4_000_000_000, 9000],
] as const) {
  test(`a caller that waits ${waitTimeMs} ms has its sockets for ${openMs} ms, and is the only one`, async () => {
    const { clock, call, openPorts } = start()
    await call({ waitTimeMs })
    await clock.advance(openMs - 1)
    assert.is(await call(), undefined)
    assert.is(openPorts().length, 3)
    await clock.advance(1)
    assert.equal([openPorts(), clock.timers], [[], 0])
    assert.ok(await call({ waitTimeMs: 0 }))
    await clock.advance(1000)
  })
}

test('the signal closes the sockets, and the next caller is served', async () => {
  const { clock, call, openPorts, controller } = start()
  await call()
  controller.abort(new Error('connected'))
  await clock.advance(0)
  assert.equal([openPorts(), clock.timers], [[], 0])
  const next = new AbortController()
  assert.ok(await call({}, next.signal))
  next.abort()
})

test('an address that must not be punched is refused, and a failure leaves the server free', async () => {
  const { call, openPorts } = start({ changes: { stun: { queryFirst: async () => undefined } as never } })
  const serve = (fields = {}) => call(fields).catch(String)
  assert.is(await serve({ dstPortNum: 1023 }), 'Error: no address that can be punched')
  assert.is(await serve({ publicIp: { addr: 0x7f000001 } }), 'Error: no address that can be punched')
  assert.is(await serve(), 'Error: no STUN server answers')
  assert.equal([await serve(), openPorts()], ['Error: no STUN server answers', []])
})

test.run()
