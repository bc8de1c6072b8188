import type { ByteStream } from '#core/byteStream'
import { createPayloadLayer, type IncomingPayload, type PayloadLayer } from '#core/easytier/payloadLayer'
import { packetTypes } from '#core/easytier/wire/packet'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: payloads of members', { setUp })

const HOST = { peerId: 1, address: '10.144.144.1' }
const GUEST = { peerId: 2, address: '10.144.144.2' }
const GAME = 25_565

test('a stream reaches the port that the member accepts, and its bytes are counted on both sides', async () => {
  const { clock, host, guest } = setUp()
  const dialled = guest.layer.dial(HOST.peerId, { address: HOST.address, port: GAME })
  await clock.advance(100)
  const stream = await dialled
  void stream.write(Uint8Array.of(1, 2, 3))
  await clock.advance(100)
  const [accepted] = host.streams
  assert.equal(accepted?.from, { port: GAME, peerId: GUEST.peerId })
  assert.equal(await accepted?.stream.read(), Uint8Array.of(1, 2, 3))
  const [ofGuest, ofHost] = [host.layer.traffic.totals(2), guest.layer.traffic.totals(1)]
  assert.equal([ofGuest.received, ofGuest.sent], [ofHost.sent, ofHost.received])
  assert.ok(ofGuest.received > 3)
  assert.ok((host.layer.traffic.receivedAt(2) ?? 0) > 0)
  close(host, guest)
  await clock.advance(1)
  assert.is(clock.timers, 0, 'only what was on its way')
})

test('neither another port nor an address that is not ours is reached by a stream', async () => {
  const { clock, host, guest } = setUp()
  for (const to of [
    { address: HOST.address, port: GAME + 1 },
    { address: '10.144.144.9', port: GAME },
  ]) {
    const dialled = guest.layer.dial(HOST.peerId, to)
    await clock.advance(100)
    assert.is(await (await dialled).read().catch(String), undefined, 'it is ended at once')
  }
  assert.equal(host.streams, [])
  close(host, guest)
})

test('a flow carries datagrams in both directions', async ({ clock, host, guest }) => {
  const flow = guest.layer.datagrams(HOST.peerId, { address: HOST.address, port: GAME })
  const answers: Uint8Array[] = []
  flow.onDatagram((bytes) => answers.push(bytes))
  flow.send(Uint8Array.of(7))
  await clock.advance(10)
  assert.equal(host.flows, [{ port: GAME, peerId: GUEST.peerId }])
  assert.equal(answers, [Uint8Array.of(7, 7)])
  close(host, guest)
})

test('an announcement is a payload that nothing comes of', async ({ clock, host, guest }) => {
  await clock.advance(5)
  guest.layer.announce(HOST.peerId)
  await clock.advance(1)
  assert.equal(guest.sent, [`${HOST.peerId} ${packetTypes.data} 0`])
  assert.is(guest.layer.traffic.totals(HOST.peerId).sent, 1)
  assert.equal([host.streams, host.flows, host.layer.traffic.receivedAt(2)], [[], [], 5])
})

test('what cannot be sent is not counted', ({ guest }) => {
  guest.layer.announce(99)
  assert.equal([guest.sent, guest.layer.traffic.totals(99).sent], [[], 0])
})

type Member = {
  readonly layer: PayloadLayer
  readonly sent: string[]
  readonly streams: { readonly stream: ByteStream; readonly from: IncomingPayload }[]
  readonly flows: IncomingPayload[]
}

/** Two members that reach each other; flows of the game repeat each byte. */
function setUp() {
  const clock = createFakeClock()
  const random = createPrng(1)
  const host: Member = member(HOST, (payload, type) => guest.layer.receive(type, payload, HOST.peerId))
  const guest: Member = member(GUEST, (payload, type) => host.layer.receive(type, payload, GUEST.peerId))
  return { clock, host, guest }

  function member(
    own: { readonly peerId: number; readonly address: string },
    deliver: (payload: Uint8Array, type: number) => void,
  ): Member {
    const sent: string[] = []
    const streams: Member['streams'] = []
    const flows: IncomingPayload[] = []
    const other = own === HOST ? GUEST : HOST
    const mesh = {
      send(peerId: number, type: number, payload: Uint8Array) {
        sent.push(`${peerId} ${type} ${payload.join()}`)
        const copy = payload.slice()
        clock.after(0, () => deliver(copy, type))
        return true
      },
    }
    const layer = createPayloadLayer({
      ownId: own.peerId,
      address: () => own.address,
      clock,
      randomBytes: random.fork(own.address).bytes,
      meshOf: (peerId) => (peerId === other.peerId ? mesh : undefined),
      acceptsTcp: (port) => port === GAME,
      acceptsUdp: (port) => port === GAME,
      onStream: (stream, from) => streams.push({ stream, from }),
      onFlow(flow, from) {
        flows.push(from)
        flow.onDatagram(([byte = 0]) => flow.send(Uint8Array.of(byte, byte)))
      },
      onRefused() {},
    })
    return { layer, sent, streams, flows }
  }
}

function close(...members: readonly Member[]): void {
  for (const { layer } of members) layer.close()
}

test.run()
