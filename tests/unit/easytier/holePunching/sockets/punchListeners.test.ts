import { createDeferred } from '#core/async/deferred'
import { createPunchListeners } from '#core/easytier/holePunching/sockets/punchListeners'
import type { PunchSocket, PunchSockets } from '#core/easytier/holePunching/sockets/punchSockets'
import { RpcRefusal } from '#core/easytier/rpc/rpcMessage'
import type { Connection } from '#core/easytier/transport/transports'
import type { UdpTransport } from '#core/easytier/transport/udpTransport'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: the listeners of hole punching', { setUp })

const OWN_PORT = 100

test('the network’s own socket is selected first, and its address is queried again after 20 s', async () => {
  const { clock, listeners, queries } = setUp()
  assert.equal(await Promise.all([listeners.select(false), listeners.ownAddress()]), [
    addressOf(OWN_PORT),
    addressOf(OWN_PORT),
  ])
  await clock.advance(19_999)
  await listeners.select(false)
  assert.equal(queries, [OWN_PORT])
  await clock.advance(1)
  await listeners.ownAddress()
  assert.equal(queries, [OWN_PORT, OWN_PORT])
  await clock.advance(20_000)
  listeners.setOwnAddress({ address: '20.0.0.9', port: 9 })
  assert.equal(await listeners.ownAddress(), { address: '20.0.0.9', port: 9 })
  assert.is(queries.length, 2)
})

test('a failed query is not remembered', async ({ listeners, queries, failNext }) => {
  failNext()
  assert.is(await listeners.select(false).catch(String), 'Error: no STUN server answers')
  assert.equal(await listeners.select(false), addressOf(OWN_PORT))
  assert.is(queries.length, 2)
})

test('a new one is selected until the next, and there are three at most', async ({ listeners, isOpen }) => {
  assert.equal(await listeners.select(true), addressOf(1))
  assert.equal(await listeners.select(false), addressOf(1))
  for (const port of [2, 3, 4]) assert.equal(await listeners.select(true), addressOf(port))
  assert.equal([1, 2, 3, 4].map(isOpen), [false, true, true, true])
  assert.is(listeners.size, 3)
})

test('one that carries a connection is kept; when all carry one the newest is selected', async () => {
  const { listeners, connect, isOpen, connected } = setUp()
  for (let count = 0; count < 3; count += 1) await listeners.select(true)
  connect(1)
  assert.equal(await listeners.select(true), addressOf(4))
  assert.equal([1, 2, 3, 4].map(isOpen), [true, false, true, true])
  connect(3)
  connect(4)
  assert.equal(await listeners.select(true), addressOf(4))
  assert.equal([listeners.size, connected()], [3, 3])
})

test('finds a listener by its public address or its port, and no other', async ({ listeners }) => {
  assert.throws(
    () => listeners.find(addressOf(OWN_PORT)),
    (error: unknown) => error instanceof RpcRefusal,
  )
  await listeners.ownAddress()
  await listeners.select(true)
  assert.is(listeners.find(addressOf(OWN_PORT)), listeners.own)
  assert.is(listeners.find(addressOf(1)).udp.port, 1)
  assert.is(listeners.ofPort(OWN_PORT), listeners.own)
  assert.equal([listeners.ofPort(1)?.udp.port, listeners.ofPort(2)], [1, undefined])
  assert.throws(() => listeners.find({ ...addressOf(1), port: 9 }), 'this is no listener of ours')
})

test('is closed 60 s after its last use; the network’s own stays', async ({ clock, listeners, isOpen }) => {
  await listeners.ownAddress()
  await listeners.select(true)
  await clock.advance(59_999)
  listeners.find(addressOf(1))
  await clock.advance(59_999)
  assert.ok(isOpen(1))
  await clock.advance(1)
  assert.equal([isOpen(1), listeners.size, clock.timers], [false, 0, 0])
  assert.is(listeners.find(addressOf(OWN_PORT)), listeners.own)
})

test('a socket that closes by itself is forgotten', async ({ clock, listeners, close }) => {
  await listeners.select(true)
  close(1)
  await clock.advance(0)
  assert.equal([listeners.size, clock.timers], [0, 0])
  assert.equal(await listeners.select(false), addressOf(OWN_PORT))
})

function addressOf(port: number) {
  return { address: '20.0.0.1', port: 40_000 + port }
}

type FakeSocket = {
  isOpen: boolean
  connections: number
  onConnection: (connection: Connection) => void
  readonly close: () => void
}

function setUp() {
  const clock = createFakeClock()
  const queries: number[] = []
  const opened: FakeSocket[] = []
  let connected = 0
  let fails = false
  const open = async (): Promise<PunchSocket> => {
    const closed = createDeferred()
    const socket: FakeSocket = {
      isOpen: true,
      connections: 0,
      onConnection() {},
      close: () => closed.resolve(),
    }
    opened.push(socket)
    const udp = {
      port: opened.length,
      closed: closed.promise,
      accept(listener: (connection: Connection) => void) {
        socket.onConnection = listener
      },
    } as unknown as UdpTransport
    return {
      udp,
      get connections() {
        return socket.connections
      },
      carry() {
        socket.connections += 1
      },
      release() {
        socket.isOpen = false
      },
    }
  }
  const listeners = createPunchListeners({
    clock,
    sockets: { open } as unknown as PunchSockets,
    own: { port: OWN_PORT } as UdpTransport,
    async mappedAddressOf({ udp }) {
      queries.push(udp.port)
      if (!fails) return addressOf(udp.port)
      fails = false
      throw new Error('no STUN server answers')
    },
    onConnection: () => {
      connected += 1
    },
  })
  return {
    clock,
    listeners,
    queries,
    connected: () => connected,
    failNext() {
      fails = true
    },
    connect: (port: number) => opened[port - 1]?.onConnection({} as Connection),
    isOpen: (port: number) => opened[port - 1]?.isOpen,
    close: (port: number) => opened[port - 1]?.close(),
  }
}

test.run()
