import { createConnection, type Socket } from 'node:net'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { createDeferred } from '@lantern-room/base/async'
import { Network } from '@lantern-room/easytier'
import { type Endpoint, packetTypes } from '@lantern-room/easytier/wire'
import { secretDigest } from '#internal/easytier/crypto/networkIdentity'
import { decodePacket } from '#internal/easytier/wire/packet'
import { decodeDatagram, encodeDatagram } from '#internal/easytier/wire/udpFrame'
import { createFakeClock } from '#support/network/fakeClock'
import { playerSettings } from '#support/network/playerSettings'
import { encodeTcpFrame } from '#support/network/tcpFrame'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { silentLog } from '#support/values/testLog'
import { helloOf, holdsLessFromNow, NETWORK, openAttackedRoom } from './attackedRoom'

const test = suite('easytier: unknown peers that connect', { timeoutMs: 60_000 })

test('1,000 TCP connections without a handshake: 32 are held for 5 s, and a member still connects', async () => {
  const room = await openAttackedRoom()
  const holdsLess = holdsLessFromNow()
  const strangers = Array.from({ length: 1000 }, () => room.connectStranger())
  const open = () => strangers.filter(({ far }) => !far.isClosed).length
  assert.is(open(), 32)
  const member = await room.joinAttacker()
  assert.ok(open() <= 32)
  await room.checkStream()
  await room.clock.advance(6000)
  assert.is(open(), 0)
  assert.is(member.far.isClosed, false)
  holdsLess(10)
  await room.close()
})

test('200 unknown peers a second for 10 s: a member that needs 100 ms for its handshake still connects', async () => {
  const room = await openAttackedRoom()
  const strangers = []
  let isIn = false
  for (let ms = 0; ms < 10_000; ms += 5) {
    strangers.push(room.connectStranger())
    if (ms === 5000) {
      const late = room.connectStranger()
      room.clock.after(100, () => late.far.hand(helloOf(77)))
      late.onPacket((packet) => {
        isIn ||= packet[8] === packetTypes.rpcRequest
      })
    }
    await room.clock.advance(5)
  }
  assert.ok(isIn)
  assert.ok(strangers.filter(({ far }) => !far.isClosed).length <= 32)
  await room.checkStream()
  await room.close()
})

test('1,000 UDP Syns from as many addresses: each is answered at most once, and a member still connects', async () => {
  const room = await openAttackedRoom()
  const [socket] = room.net.sockets
  assert.ok(socket)
  const heard: { readonly bytes: Uint8Array; readonly to: Endpoint }[] = []
  room.net.onDatagram((bytes, to) => heard.push({ bytes, to }))
  for (let at = 0; at < 1000; at += 1) {
    const from = { address: `198.51.100.${at % 250}`, port: 1000 + at }
    socket.hand(encodeDatagram('syn', at, noise(8)), from)
  }
  assert.ok(heard.length <= 1000)
  const from = { address: '203.0.113.9', port: 5000 }
  socket.hand(encodeDatagram('syn', 4242, noise(8)), from)
  socket.hand(encodeDatagram('data', 4242, helloOf(77)), from)
  const answers = heard
    .filter(({ to }) => to.port === 5000)
    .flatMap(({ bytes }) => decodeDatagram(bytes) ?? [])
  assert.is(answers[0]?.type, 'sack')
  const types = answers.slice(1).map(({ body }) => decodePacket(body)?.type)
  assert.equal(types.slice(0, 2), [packetTypes.handshake, packetTypes.ping])
  await room.clock.advance(6000)
  await room.checkStream()
  await room.close()
})

test('on sockets: single bytes, half a frame, lengths of 4 GiB and an empty digest: each connection is closed in time', async () => {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const transports = createNodeTransports({
    lanInterfaces: ['127.0.0.1'],
    clock: createSystemClock(),
    log: silentLog(),
  })
  const { promise: listens, resolve: tellPort } = createDeferred<number>()
  const host = await Network.open(
    {
      ...playerSettings(1),
      identity: NETWORK,
      lan: { key: 'lan', announces: true },
      clock,
      transports: {
        ...transports,
        async listenTcp(port, onLink, signal) {
          const listening = await transports.listenTcp(port, onLink, signal)
          tellPort(listening.port)
          return listening
        },
        lan: { announce: () => Promise.resolve(), discover: () => Promise.resolve() },
      },
      randomBytes: noise,
    },
    stopping.signal,
  )
  const port = await listens
  const frame = encodeTcpFrame(helloOf(99))
  const dial = async (bytes: Uint8Array) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.on('error', () => {}).resume()
    socket.write(bytes)
    return socket
  }
  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

  const slow = await dial(frame.subarray(0, 1))
  const half = await dial(frame.subarray(0, frame.length - 1))
  const huge = await dial(Uint8Array.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3]))
  const tiny = await dial(Uint8Array.from([15, 0, 0, 0, ...new Uint8Array(15)]))
  const zero = await dial(encodeTcpFrame(helloOf(98, secretDigest({ name: 'x', secret: 'y' }).fill(0))))
  const none = await dial(encodeTcpFrame(helloOf(97, new Uint8Array(0))))
  // Not before the time-out, but at once.
  await Promise.all([huge, tiny, zero, none].map(closed))
  let sent = 1
  const drip = setInterval(() => {
    if (sent < frame.length - 1) slow.write(frame.subarray(sent, ++sent))
  }, 5)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.is(slow.closed, false)
  assert.is(half.closed, false)
  const both = Promise.all([slow, half].map(closed))
  await clock.advance(5600)
  await both
  clearInterval(drip)
  assert.is(host.peers().length, 0)
  stopping.abort(new Error('over'))
  await clock.advance(10)
  await host.closed
})

test.run()
