import type { PunchSocket } from '#core/easytier/holePunching/sockets/punchSockets'
import { waitForPunch } from '#core/easytier/holePunching/sockets/waitForPunch'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: the first punching datagram', { setUp })

const from: Endpoint = { address: '1.2.3.4', port: 5000 }

function setUp() {
  const clock = createFakeClock()
  const controller = new AbortController()
  const listeners = [0, 1].map(() => new Set<(id: number, from: Endpoint) => void>())
  const sockets = listeners.map((own) => ({
    udp: {
      onPunch(listener: (id: number, from: Endpoint) => void) {
        own.add(listener)
        return () => void own.delete(listener)
      },
    },
  })) as unknown as readonly PunchSocket[]
  const sentAt: number[] = []
  const arrival = waitForPunch(clock, {
    sockets,
    transactionId: 7,
    limitMs: 1000,
    everyMs: 200,
    send: () => sentAt.push(clock.now()),
    signal: controller.signal,
  })
  const receive = (socket: number, id: number) => {
    for (const listener of [...(listeners[socket] ?? [])]) listener(id, from)
  }
  const isClean = () => clock.timers === 0 && listeners.every(({ size }) => size === 0)
  return { clock, controller, sockets, sentAt, arrival, receive, isClean }
}

test('resolves with the socket and the sender, and sends until then', async () => {
  const { clock, sockets, sentAt, arrival, receive, isClean } = setUp()
  await clock.advance(450)
  receive(0, 8)
  receive(1, 7)
  receive(0, 7)
  assert.equal(await arrival, { socket: sockets[1], from })
  await clock.advance(1000)
  assert.equal(sentAt, [0, 200, 400])
  assert.ok(isClean())
})

test('rejects after the limit, or with the reason of the signal', async (late) => {
  const failure = late.arrival.then(String, String)
  await late.clock.advance(1000)
  assert.is(await failure, 'Error: no datagram came through')
  assert.ok(late.isClean())
  const stopped = setUp()
  const reason = stopped.arrival.then(String, String)
  stopped.controller.abort(new Error('stopped'))
  assert.is(await reason, 'Error: stopped')
  assert.ok(stopped.isClean())
})

test.run()
