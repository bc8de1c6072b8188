import { createDeferred } from '#core/async/deferred'
import { createPunchSockets, ownPunchSocket } from '#core/easytier/holePunching/sockets/punchSockets'
import type { Connection, UdpSocket } from '#core/easytier/transport/transports'
import type { UdpTransport } from '#core/easytier/transport/udpTransport'
import { createFakeClock } from '#support/network/fakeClock'
import { createFakeUdpSocket } from '#support/network/fakeUdpSocket'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: sockets for hole punching', { setUp })

function setUp(failAt = Number.POSITIVE_INFINITY) {
  const clock = createFakeClock()
  const controller = new AbortController()
  let opened = 0
  let open = 0
  const openUdp = async (): Promise<UdpSocket> => {
    opened += 1
    if (opened >= failAt) throw new Error('no descriptors')
    open += 1
    const { socket } = createFakeUdpSocket(opened)
    void socket.closed.then(() => {
      open -= 1
    })
    return socket
  }
  const sockets = createPunchSockets({
    transports: { openUdp },
    clock,
    randomBytes: (size) => new Uint8Array(size),
    signal: controller.signal,
  })
  return { clock, controller, sockets, open: () => open }
}

function connection(): { readonly connection: Connection; readonly close: () => void } {
  const closed = createDeferred()
  return { connection: { closed: closed.promise } as Connection, close: () => closed.resolve() }
}

test('a released socket closes at once, or after its last connection', async ({ clock, sockets, open }) => {
  const unused = await sockets.open()
  const used = await sockets.open()
  const [first, second] = [connection(), connection()]
  used.carry(first.connection)
  used.carry(second.connection)
  unused.release()
  used.release()
  await clock.advance(0)
  assert.equal([open(), used.connections, sockets.size], [1, 2, 1])
  first.close()
  await clock.advance(0)
  assert.is(open(), 1)
  second.close()
  await clock.advance(0)
  assert.equal([open(), used.connections, sockets.size], [0, 0, 0])
})

test('256 sockets may be open, and many are opened together or not at all', async () => {
  const { clock, sockets, open } = setUp()
  assert.is((await sockets.openMany(200)).length, 200)
  const failure = await sockets.openMany(57).catch(String)
  assert.is(failure, 'Error: too many sockets are open for punching')
  await clock.advance(0)
  assert.equal([open(), (await sockets.openMany(56)).length], [200, 56])
})

test('one that cannot be opened closes the others', async () => {
  const { clock, sockets, open } = setUp(5)
  assert.is(await sockets.openMany(10).catch(String), 'Error: no descriptors')
  await clock.advance(0)
  assert.equal([open(), sockets.size], [0, 0])
})

test('the signal closes all, those that are still opening as well', async () => {
  const { clock, controller, sockets, open } = setUp()
  await sockets.openMany(3)
  const late = sockets.open()
  controller.abort(new Error('stopped'))
  await sockets.closed
  await late
  await clock.advance(0)
  assert.equal([open(), await sockets.open().catch(String)], [0, 'Error: stopped'])
})

test('the network’s own socket is never closed', () => {
  const udp = {
    close() {
      throw new Error('closed')
    },
  } as unknown as UdpTransport
  const own = ownPunchSocket(udp)
  own.carry(connection().connection)
  own.release()
  assert.is(own.connections, 1)
})

test.run()
