import { createRpcAssembly } from '#internal/easytier/rpc/rpcAssembly'
import { MAX_RPC_BODY_SIZE, type RpcMessage, readAnswer, readCall } from '#internal/easytier/rpc/rpcMessage'
import { decodePiece, encodePieces, MAX_PIECES } from '#internal/easytier/rpc/rpcPiece'
import { rpcPacket } from '#internal/easytier/wire/messages'
import { type CallBodyVector, hexOf, plainTextOf, readCalls } from '#support/network/easytierVectors'
import { zstdReady } from '#support/network/zstdReady'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('overlay: calls in pieces')
test.before(zstdReady)

const bodies = readCalls().flatMap((call) =>
  [call.request, call.response].flatMap((body) =>
    body?.packets ? { call, body, packets: body.packets } : [],
  ),
)

test('recorded calls and answers are joined in order, in reverse, and read', () => {
  assert.ok(bodies.filter(({ packets }) => packets.length > 1).length >= 5, 'some in pieces')
  for (const { call, body, packets } of bodies)
    for (const payloads of [packets.map(plainTextOf), packets.map(plainTextOf).reverse()]) {
      const message = joinAll(payloads)
      assert.ok(message, call.name)
      assert.is(message.method.service, call.service)
      assert.is(message.method.method, call.method_index)
      if (message.isRequest) assertCall(message, body, call.name)
      else assertAnswer(message, body, call.name)
    }
})

test('recorded errors are read by what they mean', () => {
  const problems = bodies.flatMap(({ packets }) => {
    const message = joinAll(packets.map(plainTextOf))
    const answer = message && readAnswer(message)
    return answer?.kind === 'error' ? answer.error : []
  })
  const texts = problems.map(
    ({ case: kind, value }) => `${kind} ${value && 'serviceName' in value && value.serviceName}`,
  )
  assert.equal(
    new Set(texts),
    new Set([
      'invalidService "NoSuchRpc"',
      'invalidService "DirectConnectorRpc"',
      'invalidMethodIndex "OspfRouteRpc"',
      'prostDecodeError false',
    ]),
  )
})

const message: RpcMessage = {
  from: 0xfffffffe,
  to: 0xffffffff,
  transactionId: '-9223372036854775808',
  isRequest: true,
  method: { domain: 'scaffolding-mc-YNZE-U61D', service: 'DirectConnectorRpc', method: 1 },
  body: new Uint8Array(0),
  compression: 1,
}

test('a recorded request of one piece is written the same', () => {
  const found = bodies.find(
    ({ packets }) =>
      packets.length === 1 &&
      packets[0]?.rpc_packet?.from_peer === 1000 &&
      packets[0].rpc_packet.is_request === true,
  )
  const payload = found?.packets[0] && plainTextOf(found.packets[0])
  const piece = payload && decodePiece(payload)
  assert.ok(payload && piece?.method)
  const [again] = encodePieces({ ...piece, method: piece.method })
  equalBytes(again ?? new Uint8Array(0), payload)
})

for (const size of [0, 1, 1000, 1100, 1101, 1150, 1250, 2300, 5000, 65_535, 65_536])
  test(`a body of ${size} bytes is cut into packets for the smallest paths that 64 pieces allow, and joined in any order`, () => {
    const body = noise(size)
    // IP packets of 576 bytes, and of 1,280 for more than 64 of those would hold.
    const limit = size < 20_000 ? 576 - 28 : 1280 - 48
    const payloads = encodePieces({ ...message, body })
    const sizes = payloads.map((payload) => 8 + 16 + payload.length + 28)
    assert.ok(Math.max(...sizes) <= limit, `${Math.max(...sizes)}`)
    if (payloads.length > 1)
      assert.ok((sizes[0] ?? 0) > limit - 10 && (sizes[payloads.length - 2] ?? 0) > limit - 10, 'filled well')
    assert.ok(payloads.length <= MAX_PIECES)
    payloads.forEach((payload, i) => {
      const packet = rpcPacket.decode(payload)
      assert.equal([packet?.totalPieces, packet?.pieceIdx], [payloads.length, i])
      assert.is(packet?.descriptor !== undefined, i === 0)
      assert.is(packet?.compressionInfo?.acceptedAlgo, i === 0 ? 1 : undefined)
    })
    const shuffled = [1, 2, 0].flatMap((rest) => payloads.filter((_, i) => i % 3 === rest))
    const joined = joinAll(shuffled)
    equalBytes(joined?.body ?? new Uint8Array(0), body)
    assert.equal({ ...joined, body: undefined, compression: 1 }, { ...message, body: undefined })
  })

test('a body beyond 64 KiB is not sent', () => {
  assert.throws(() => encodePieces({ ...message, body: new Uint8Array(MAX_RPC_BODY_SIZE + 1) }), /65537/)
})

test('a piece that is cut anywhere is none, or is one of fewer fields', () => {
  const [payload] = encodePieces({ ...message, body: noise(10) })
  assert.ok(payload)
  let read = 0
  for (let length = 0; length < payload.length; length++) if (decodePiece(payload.subarray(0, length))) read++
  assert.ok(read <= 10, `${read} of ${payload.length}`)
})

test('what says too many pieces, or a place beyond the last, is no piece', () => {
  const piece = (totalPieces: number, pieceIdx: number) =>
    decodePiece(rpcPacket.encode({ totalPieces, pieceIdx }))
  assert.equal([piece(64, 63)?.index, piece(65, 0), piece(0xffffffff, 1)], [63, undefined, undefined])
  assert.is(piece(2, 2), undefined)
  assert.is(piece(0, 0)?.total, 1, 'old nodes say 0 for one')
  assert.is(piece(0, 1), undefined)
})

function assertCall(message: RpcMessage, { rpc }: CallBodyVector, name: string): void {
  const read = readCall(message)
  assert.is(read && hexOf(read.request), rpc?.request ?? '', name)
  assert.is(read?.timeoutMs, rpc?.timeout_ms ?? 0)
  assert.is(readAnswer(message), undefined)
}

function assertAnswer(message: RpcMessage, { rpc }: CallBodyVector, name: string): void {
  const answer = readAnswer(message)
  assert.is(answer?.kind, rpc?.error ? 'error' : 'response', name)
  if (answer?.kind === 'response') assert.is(hexOf(answer.response), rpc?.response ?? '')
  assert.is(readCall(message), undefined)
}

function joinAll(payloads: readonly Uint8Array[]): RpcMessage | undefined {
  const assembly = createRpcAssembly()
  const joined = payloads.flatMap((payload) => {
    const piece = decodePiece(payload)
    assert.ok(piece)
    return assembly.add(piece, 0) ?? []
  })
  assert.equal([joined.length, assembly.size], [1, 0])
  return joined[0]
}

test.run()
