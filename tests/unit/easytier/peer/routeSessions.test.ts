import { createRouting, newRecord } from '#core/easytier/peer/routing'
import { encodeAnswerBody, encodeCallBody, readCall } from '#core/easytier/rpc/rpcMessage'
import { decodePiece, encodePieces } from '#core/easytier/rpc/rpcPiece'
import type { TransportKind } from '#core/easytier/transport/transports'
import { rpcMethods } from '#core/easytier/wire/messages'
import { decodeRouteSync } from '#core/easytier/wire/routeSync'
import { createFakeClock } from '#support/network/fakeClock'
import { memberRecord } from '#support/network/memberRecord'
import { peerConnection } from '#support/network/peerConnection'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: route syncs that are lost, and those that are not needed')

const OWN = 11
const OTHER = 77
const method = { domain: 'room', service: 'OspfRouteRpc', method: 1 }

test('over UDP a lost call is made again within about a second, then more and more seldom', async () => {
  const { start, advance, times } = openRouting('udp', 30)
  start()
  await advance(20_000)
  // Waited for: 0.75 s, 1.5 s, then 3 s; pauses 0.25 s, 0.5 s, 1 s, then 2 s; then the next look, each half second.
  assert.equal(times.slice(0, 5), [0, 1000, 3000, 7000, 12_000])
})

test('a far neighbour is given three round trips', async () => {
  const { start, advance, times } = openRouting('udp', 599.75)
  start()
  await advance(5000)
  assert.equal(times.slice(0, 2), [0, 2500])
})

test('over TCP nothing is lost, so 3 s are waited for', async () => {
  const { start, advance, times } = openRouting('tcp', 30)
  start()
  await advance(9000)
  assert.equal(times, [0, 3500, 7000])
})

test('an answer ends the repetitions, and the next loss begins anew', async () => {
  const { start, advance, times, answer, change } = openRouting('udp', 30)
  start()
  await advance(1400)
  answer()
  await advance(6000)
  assert.equal(times, [0, 1000])
  change('another')
  await advance(2100)
  assert.equal(times.slice(2), [7400, 8500])
})

test('a refusal is followed by a second of silence', async () => {
  const { start, advance, times, answer } = openRouting('udp', 30)
  start()
  await advance(300)
  answer(1)
  await advance(1600)
  assert.equal(times, [0, 1500])
})

test('a change after everything was told is told, and only that', async () => {
  const { start, advance, told, answer, change } = openRouting('tcp', 30)
  start()
  await advance(100)
  answer()
  await advance(3000)
  assert.is(told.length, 1)
  change('a')
  await advance(100)
  answer()
  change('b')
  await advance(100)
  answer()
  await advance(5000)
  assert.equal(told, ['guest', 'a', 'b'])
})

test('a neighbour that has begun anew is told everything again', async () => {
  const { start, advance, told, answer, ask } = openRouting('tcp', 30)
  start()
  await advance(100)
  answer()
  await advance(3000)
  ask('4321')
  await advance(600)
  assert.equal(told, ['guest', 'guest'])
})

/** The routes of a peer with one neighbour, which is the test. */
function openRouting(transport: TransportKind, roundTrip: number) {
  const clock = createFakeClock()
  const { bytes: randomBytes } = createPrng(1)
  const times: number[] = []
  const told: string[] = []
  let transactionId = ''
  const origin = { transport, isDialler: true }
  const link = peerConnection(OTHER, { isSharedNode: true, roundTrip, origin })
  const routing = createRouting({
    record: newRecord({ ...memberRecord(OWN), hostname: 'guest' }, randomBytes),
    networkName: 'room',
    clock,
    randomBytes,
    onChanged() {},
    connections: { neighbours: () => [OTHER], best: () => link, isResponsive: () => true, tick() {} },
    send(_, isRequest, payload) {
      const piece = decodePiece(payload)
      if (!isRequest || !piece) return true
      transactionId = piece.transactionId
      times.push(clock.now())
      const call = readCall({ ...piece, method })
      const own = call && decodeRouteSync(call.request)?.records.find(({ peerId }) => peerId === OWN)
      if (own) told.push(own.hostname)
      return true
    },
  })
  const receive = (isRequest: boolean, id: string, body: Uint8Array) => {
    const message = { from: OTHER, to: OWN, transactionId: id, isRequest, method, body }
    for (const payload of encodePieces(message)) routing.calls.receive(payload, OTHER)
  }
  const { request, response } = rpcMethods.syncRouteInfo

  return {
    times,
    told,
    advance: clock.advance,
    start: () => routing.opened(link),
    change(hostname: string) {
      routing.table.setOwn({ hostname })
      routing.changed()
    },
    /** To the latest call. */
    answer(error?: number) {
      const answered = response.encode(
        error === undefined ? { isInitiator: true, sessionId: '5' } : { error },
      )
      receive(false, transactionId, encodeAnswerBody({ kind: 'response', response: answered }))
    },
    /** A call of the neighbour. */
    ask(sessionId: string) {
      const call = request.encode({ myPeerId: OTHER, mySessionId: sessionId, isInitiator: true })
      receive(true, '1', encodeCallBody({ request: call, timeoutMs: 3000 }))
    },
  }
}

test.run()
