import { createPayloadLayer, type IncomingPayload, type PayloadLayer } from '#core/easytier/payloadLayer'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: payloads of members')

const HOST = { peerId: 1, address: '10.144.144.1' }
const GUEST = { peerId: 2, address: '10.144.144.2' }
const GAME = 25_565

test('a stream reaches only the port that the member accepts, at its own address', async () => {
  const clock = createFakeClock()
  const host = member(HOST, GUEST, () => guest.layer)
  const guest = member(GUEST, HOST, () => host.layer)
  for (const to of [
    { address: HOST.address, port: GAME + 1 },
    { address: '10.144.144.9', port: GAME },
  ]) {
    const dialled = guest.layer.dial(HOST.peerId, to)
    await clock.advance(100)
    assert.is(await (await dialled).read().catch(String), undefined, 'it is ended at once')
  }
  assert.equal(host.streams, [])
  const dialled = guest.layer.dial(HOST.peerId, { address: HOST.address, port: GAME })
  await clock.advance(100)
  await dialled
  assert.equal(host.streams, [{ port: GAME, peerId: GUEST.peerId }])
  for (const { layer } of [host, guest]) layer.close()

  function member(own: typeof HOST, other: typeof HOST, otherLayer: () => PayloadLayer) {
    const streams: IncomingPayload[] = []
    const mesh = {
      send(_peerId: number, type: number, payload: Uint8Array) {
        const copy = payload.slice()
        clock.after(0, () => otherLayer().receive(type, copy, own.peerId))
        return true
      },
    }
    const layer = createPayloadLayer({
      ownId: own.peerId,
      address: () => own.address,
      clock,
      randomBytes: createPrng(own.peerId).bytes,
      meshOf: (peerId) => (peerId === other.peerId ? { peer: mesh } : undefined),
      acceptsTcp: (port) => port === GAME,
      acceptsUdp: () => false,
      onStream: (_stream, from) => streams.push(from),
      onFlow() {},
      onRefused() {},
    })
    return { layer, streams }
  }
})

test.run()
