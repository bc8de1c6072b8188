import { createDeferred } from '@lantern-room/base/async'
import type { DatagramFlow } from '@lantern-room/base/bytes'
import { admitFlow, createDatagramSeals, sealFlow } from '#internal/room/network/secure/sealedFlow'
import type { SecureStream } from '#internal/room/ports'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: flows of private rooms')

const PORT = 24_454

test('a flow goes both ways, and the host hears of it with the first datagram', () => {
  const { connect, guestFlow, admitted } = setUp()
  connect(1)
  const flow = guestFlow()
  const received: string[] = []
  flow.onDatagram((bytes) => received.push(String(bytes)))
  assert.is(admitted.length, 0)
  flow.send(Uint8Array.of(1))
  flow.send(Uint8Array.of(2))
  assert.equal(received, ['1', '2'])
  assert.is(admitted.length, 1)
})

test('without a connection to the room nothing is sent, and after a new one the flow goes on', () => {
  const { connect, guestFlow, admitted, wire } = setUp()
  const flow = guestFlow()
  flow.send(Uint8Array.of(1))
  assert.equal(wire.sent, [])
  const first = connect(1)
  flow.send(Uint8Array.of(1))
  first.guest.destroy()
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    flow.send(Uint8Array.of(2))
    assert.is(wire.sent.length, 1)
    connect(2)
    const received: string[] = []
    flow.onDatagram((bytes) => received.push(String(bytes)))
    flow.send(Uint8Array.of(3))
    assert.equal([received, admitted.length], [['3'], 1])
  })
})

test('a flow that begins with anything else is closed, and one that is known is not disturbed by it', () => {
  const { connect, guestFlow, admitted, wire } = setUp()
  connect(1)
  for (const forged of [new Uint8Array(3), new Uint8Array(100)]) {
    guestFlow()
    wire.toHost(forged)
    assert.ok(wire.isClosed())
  }
  const flow = guestFlow()
  const received: string[] = []
  flow.onDatagram((bytes) => received.push(String(bytes)))
  flow.send(Uint8Array.of(1))
  wire.toHost(new Uint8Array(100))
  wire.toHost(wire.sent.at(-1) ?? new Uint8Array(0))
  wire.toGuest(new Uint8Array(100))
  assert.not(wire.isClosed())
  assert.equal([received, admitted.length], [['1'], 1])
})

/** A host that sends back what it gets. */
function setUp() {
  const seals = { guest: createDatagramSeals('guest'), host: createDatagramSeals('host') }
  const admitted: DatagramFlow[] = []
  const wire = {
    sent: [] as Uint8Array[],
    toHost: (_bytes: Uint8Array) => {},
    toGuest: (_bytes: Uint8Array) => {},
    isClosed: () => false,
  }
  return {
    admitted,
    wire,
    /** A connection to the room port. */
    connect(seed: number) {
      const [guest, host] = streamPair()
      const exportKey: SecureStream['exportKey'] = (_, size) => new Uint8Array(size).fill(seed)
      seals.guest.add({ stream: guest, peerKey: undefined, exportKey })
      seals.host.add({ stream: host, peerKey: undefined, exportKey })
      return { guest, host }
    },
    guestFlow() {
      const closed = createDeferred()
      let isClosed = false
      const close = () => {
        isClosed = true
        closed.resolve()
      }
      wire.isClosed = () => isClosed
      const near: DatagramFlow = {
        closed: closed.promise,
        close,
        send(bytes) {
          wire.sent.push(bytes)
          wire.toHost(bytes)
        },
        onDatagram(listener) {
          wire.toGuest = listener
        },
      }
      const far: DatagramFlow = {
        closed: closed.promise,
        close,
        send: (bytes) => wire.toGuest(bytes),
        onDatagram(listener) {
          wire.toHost = listener
        },
      }
      admitFlow(far, PORT, seals.host, (flow) => {
        admitted.push(flow)
        flow.onDatagram((bytes) => flow.send(bytes))
      })
      return sealFlow(near, PORT, seals.guest)
    },
  }
}

test.run()
