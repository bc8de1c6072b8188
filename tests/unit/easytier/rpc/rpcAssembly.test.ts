import { MAX_AGE_MS, MAX_OPEN } from '#internal/easytier/boundedParts'
import { createRpcAssembly } from '#internal/easytier/rpc/rpcAssembly'
import { MAX_RPC_BODY_SIZE, type RpcMessage } from '#internal/easytier/rpc/rpcMessage'
import { decodePiece, encodePieces, type RpcPiece } from '#internal/easytier/rpc/rpcPiece'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('easytier: assembly of calls', { setUp: createRpcAssembly })

const message: RpcMessage = {
  from: 7,
  to: 8,
  transactionId: '1',
  isRequest: true,
  method: { domain: 'network', service: 'DirectConnectorRpc', method: 1 },
  body: new Uint8Array(0),
  compression: 1,
}

test('a message of one piece is complete at once, and one without a method is none', (assembly) => {
  const single = { ...message, body: noise(5), total: 1, index: 0 }
  assert.equal(assembly.add(single, 0), { ...message, body: noise(5) })
  assert.equal([assembly.add({ ...single, method: undefined }, 0), assembly.size], [undefined, 0])
})

test('the first piece, not the first to arrive, says the method and the compression', (assembly) => {
  const piece = { ...message, total: 2 }
  const second = { ...piece, method: undefined, compression: 0, body: Uint8Array.of(2), index: 1 }
  assert.is(assembly.add(second, 0), undefined)
  const whole = assembly.add({ ...piece, compression: 2, body: Uint8Array.of(1), index: 0 }, 0)
  assert.equal(whole, { ...message, compression: 2, body: Uint8Array.of(1, 2) })
  assembly.add(second, 0)
  assert.is(assembly.add({ ...second, index: 0 }, 0), undefined, 'without a method')
  assert.is(assembly.size, 0)
})

test('64 KiB in pieces are a message, one byte more is none', () => {
  for (const more of [0, 1]) {
    const assembly = createRpcAssembly()
    const halves = [0, more].map((extra, index) =>
      assembly.add({ ...message, body: noise(MAX_RPC_BODY_SIZE / 2 + extra), total: 2, index }, 0),
    )
    assert.is(halves[1]?.body.length, more === 0 ? MAX_RPC_BODY_SIZE : undefined)
    assert.is(assembly.size, 0)
  }
})

test('pieces that come twice or contradict are left out', (assembly) => {
  const body = noise(1100)
  const pieces = piecesOf({ ...message, body })
  const [first, second, third] = pieces
  assert.ok(first && second && third && pieces.length === 3)
  assert.is(assembly.add(second, 0), undefined)
  assert.is(assembly.add({ ...second, body: new Uint8Array(5) }, 0), undefined)
  assert.equal([assembly.add({ ...third, total: 4 }, 0), assembly.add(third, 0)], [undefined, undefined])
  equalBytes(assembly.add(first, 0)?.body ?? new Uint8Array(0), body)
  assert.is(assembly.size, 0)
})

test('messages of other peers, other ids and answers are kept apart', (assembly) => {
  const pieces = piecesOf({ ...message, body: noise(700) })
  const [first, second] = pieces
  assert.ok(first && second)
  assembly.add(first, 0)
  for (const other of [{ from: 1 }, { transactionId: '7' }, { isRequest: false }])
    assert.is(assembly.add({ ...second, ...other }, 0), undefined)
  assert.is(assembly.size, 4)
  assert.ok(assembly.add(second, 0))
})

test('a message whose pieces hold more than 64 KiB is given up', (assembly) => {
  const piece = (index: number): RpcPiece => ({ ...message, body: noise(1300), total: 64, index })
  for (let index = 0; index < 50; index++) assembly.add(piece(index), 0)
  assert.is(assembly.size, 1)
  assembly.add(piece(50), 0)
  assert.is(assembly.size, 0)
})

test('what waits too long is given up', (assembly) => {
  const [first, second] = piecesOf({ ...message, body: noise(700) })
  assert.ok(first && second)
  assembly.add(first, 0)
  assert.equal([assembly.add(second, MAX_AGE_MS), assembly.size], [undefined, 1])
})

test('a peer that starts many messages loses its own first ones, not those of others', (assembly) => {
  const [first, second] = piecesOf({ ...message, body: noise(700) })
  assert.ok(first && second)
  assembly.add({ ...first, from: 1 }, 0)
  for (let i = 0; i < 100; i++) assembly.add({ ...first, from: 2, transactionId: String(i) }, 0)
  assert.ok(assembly.add({ ...second, from: 2, transactionId: '99' }, 0))
  assert.is(assembly.add({ ...second, from: 2, transactionId: '7' }, 0), undefined)
  assert.ok(assembly.add({ ...second, from: 1 }, 0))
})

test('beyond the limit of all peers together the oldest message is given up', (assembly) => {
  const [first, second] = piecesOf({ ...message, body: noise(700) })
  assert.ok(first && second)
  for (let from = 0; from <= MAX_OPEN; from += 1) assembly.add({ ...first, from }, 0)
  assert.is(assembly.size, MAX_OPEN)
  assert.is(assembly.add({ ...second, from: 0 }, 0), undefined)
  assert.ok(assembly.add({ ...second, from: MAX_OPEN }, 0))
})

test('pieces do not keep the packets alive that brought them', (assembly) => {
  const payloads = encodePieces({ ...message, body: noise(700) })
  const pieces = payloads.flatMap((payload) => decodePiece(payload) ?? [])
  const [first, second] = pieces
  assert.ok(first && second)
  assembly.add(first, 0)
  payloads[0]?.fill(0)
  equalBytes(assembly.add(second, 0)?.body ?? new Uint8Array(0), noise(700))
})

function piecesOf(whole: RpcMessage): RpcPiece[] {
  return encodePieces(whole).flatMap((payload) => decodePiece(payload) ?? [])
}

test.run()
