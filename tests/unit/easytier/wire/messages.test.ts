import {
  handshakeRequest,
  kcpConnData,
  rpcMethodNamed,
  rpcMethods,
  rpcPacket,
  rpcRequest,
  rpcResponse,
} from '#internal/easytier/wire/messages'
import {
  asVector,
  carriedBody,
  everyPacket,
  fieldsOf,
  hexOf,
  type Json,
  readCalls,
  unhex,
} from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('easytier: messages')

const calls = readCalls()
const packets = everyPacket()

test('every recorded handshake is read, and written again the same', () => {
  const found = packets.filter(({ packet }) => packet.handshake)
  assert.ok(found.length > 70, `${found.length} handshakes`)
  for (const { at, packet } of found)
    roundTrip(at, handshakeRequest, packet.bytes.slice(32), packet.handshake)
})

test('every recorded RPC packet is read, and written again the same', () => {
  const found = packets.filter(({ packet }) => packet.rpc_packet)
  assert.ok(found.length > 150, `${found.length} packets`)
  for (const { at, packet } of found) {
    const plain = packet.compressed?.plaintext ?? packet.sealed?.plaintext ?? packet.bytes.slice(32)
    roundTrip(at, rpcPacket, plain, packet.rpc_packet)
  }
})

test('every recorded request and answer is read, and written again the same', () => {
  let seen = 0
  for (const call of calls)
    for (const [codec, body] of [
      [rpcRequest, call.request],
      [rpcResponse, call.response],
    ] as const) {
      if (!body?.packets || !body.rpc) continue
      const joined = body.zstd_plain ?? carriedBody(body)
      if (codec === rpcRequest) roundTrip(call.name, rpcRequest, joined, body.rpc)
      else roundTrip(call.name, rpcResponse, joined, body.rpc)
      seen++
    }
  assert.ok(seen > 100, `${seen} bodies`)
})

test('every recorded message of a method is read, and written again the same', () => {
  const methods = new Set<string>()
  for (const call of calls) {
    const name = rpcMethodNamed(call.service, call.method_index)
    if (name === undefined || name === 'syncRouteInfo') continue
    const { request, response } = rpcMethods[name]
    for (const [codec, bytes, inner] of [
      [request, call.request?.rpc?.request, call.request?.inner],
      [response, call.response?.rpc?.response, call.response?.inner],
    ] as const) {
      if (inner === undefined) continue
      const digits = typeof bytes === 'string' ? bytes : ''
      methods.add(`${name} ${codec === request ? 'request' : 'response'}`)
      // Maps come in any order, so their bytes may differ.
      roundTrip(call.name, codec, digits, inner, name === 'getGlobalPeerMap')
    }
  }
  assert.ok(methods.size >= 17, [...methods].join(', '))
})

test('every recorded opening of a stream is read, and written again the same', () => {
  const opened = packets.flatMap(({ at, packet }) => {
    const data = packet.kcp?.conn_data
    const plain = packet.compressed?.plaintext ?? packet.sealed?.plaintext
    return data === undefined || plain === undefined ? [] : [{ at, data, bytes: plain.slice(28) }]
  })
  assert.ok(opened.length > 5, `${opened.length} openings`)
  for (const { at, data, bytes } of opened) roundTrip(at, kcpConnData, bytes, data)
})

test('a message that is cut anywhere is none, or is one of fewer fields', () => {
  const whole = unhex('08e1cb868f0d10cefbff81051801220161')
  for (let length = 0; length < whole.length; length++) {
    const message = handshakeRequest.decode(whole.subarray(0, length))
    const isBetweenFields = [0, 6, 12, 14].includes(length)
    assert.is(message !== undefined, isBetweenFields, `${length} bytes`)
  }
})

test('fields that are not known are kept and written again', () => {
  const { response } = rpcMethods.getIpList
  const bytes = '2a030a01612a00c23e06667574757265c83e2a'
  const message = response.decode(unhex(bytes))
  assert.ok(message)
  assert.equal(each(message.listeners, 'url'), ['a', ''])
  assert.is(hexOf(response.encode(message)), bytes)
})

test('texts that are not UTF-8, and groups within groups, are no message', () => {
  assert.is(handshakeRequest.decode(unhex('2a02c328')), undefined)
  const nested = new Uint8Array(60_000).fill(0xf3, 0, 30_000).fill(0xf4, 30_000)
  assert.is(handshakeRequest.decode(nested), undefined)
})

test('methods are found by service and number', () => {
  assert.is(rpcMethodNamed('OspfRouteRpc', 1), 'syncRouteInfo')
  assert.is(rpcMethodNamed('PeerCenterRpc', 2), 'getGlobalPeerMap')
  assert.equal([rpcMethodNamed('OspfRouteRpc', 2), rpcMethodNamed('toString', 1)], [undefined, undefined])
})

type AnyCodec = { decode(bytes: Uint8Array): unknown; encode(message: never): Uint8Array }

/** @param isReordered the bytes need not be the same, but as many, and read alike */
function roundTrip(
  what: string,
  codec: AnyCodec,
  digits: string,
  expected: Json | undefined,
  isReordered = false,
): void {
  const message = codec.decode(unhex(digits))
  assert.ok(message, what)
  assert.equal(asVector(message), fieldsOf(expected ?? {}), what)
  const again = codec.encode(message as never)
  if (!isReordered) assert.is(hexOf(again), digits, what)
  else assert.equal(asVector(codec.decode(again)), asVector(message), what)
}

test.run()
