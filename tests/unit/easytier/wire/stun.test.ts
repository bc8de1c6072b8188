import {
  decodeStun,
  decodeStunStream,
  encodeStunRequest,
  encodeStunResponse,
  isForNodes,
  isStun,
  stunTransactionId,
} from '#internal/easytier/wire/stun'
import { decodeDatagram } from '#internal/easytier/wire/udpFrame'
import { hexOf, readVectors, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: STUN')

type Message = { readonly bytes: string; readonly transaction_id: string }
type Answer = Message & {
  readonly attributes: readonly { readonly $address: string; readonly $port: number }[]
}
type Transports = {
  readonly stun: { readonly exchanges: readonly { readonly request: Message; readonly answer: Answer }[] }
  readonly udp: { readonly datagrams: readonly { readonly bytes: string }[] }
}
const transports = readVectors<Transports>('transports')
const { exchanges } = transports.stun
const answer = unhex(exchanges[0]?.answer.bytes ?? '')

test('recorded requests and answers are decoded, and encoded again to the same bytes', () => {
  assert.is(exchanges.length, 2)
  for (const { request, answer } of exchanges) {
    const transactionId = unhex(request.transaction_id)
    assert.equal(decodeStun(unhex(request.bytes)), { kind: 'request', transactionId })
    assert.is(hexOf(encodeStunRequest(transactionId)), request.bytes)
    const [attribute] = answer.attributes
    assert.ok(attribute)
    const mapped = { address: attribute.$address, port: attribute.$port }
    assert.equal(decodeStun(unhex(answer.bytes)), { kind: 'response', transactionId, mapped })
    assert.is(hexOf(encodeStunResponse(transactionId, mapped)), answer.bytes)
  }
})

// RFC 5769, 2.2 and 2.3, without the attributes that are ignored: both use this transaction id.
const sampleId = 'b7e7a701bc34d686fa87dfae'

test('the sample answers of RFC 5769 are decoded: other attributes, padding, IPv6', () => {
  const ipv4 =
    '0101003c2112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000080001a147e112a643' +
    '000800142b91f599fd9e90c38c7489f92af9ba53f06be7d780280004c07d4c96'
  const ipv6 =
    '010100482112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9' +
    '00080014a382954e4be67bf11784c97c8292c275bfe3ed4180280004c8fb0b4c'
  for (const [bytes, address] of [
    [ipv4, '192.0.2.1'],
    [ipv6, '2001:db8:1234:5678:11:2233:4455:6677'],
  ] as const) {
    const mapped = { address, port: 32853 }
    assert.equal(decodeStun(unhex(bytes)), { kind: 'response', transactionId: unhex(sampleId), mapped })
  }
})

test('an IPv6 address survives encoding and decoding', () => {
  const mapped = { address: '2001:db8::1', port: 65535 }
  const answer = decodeStun(encodeStunResponse(unhex(sampleId), mapped))
  assert.equal(answer, { kind: 'response', transactionId: unhex(sampleId), mapped })
})

test('a plain address counts where there is no masked one', () => {
  const head = (length: string) => `0101${length}2112a442${sampleId}`
  const plain = '000100080001303901020304'
  const masked = '002000080001a147e112a643'
  const mappedOf = (bytes: string) => {
    const message = decodeStun(unhex(bytes))
    return message?.kind === 'response' ? message.mapped : undefined
  }
  assert.equal(mappedOf(head('000c') + plain), { address: '1.2.3.4', port: 12345 })
  assert.equal(mappedOf(head('0018') + plain + masked), { address: '192.0.2.1', port: 32853 })
  assert.is(mappedOf(head('0000')), undefined)
  assert.is(mappedOf(`${head('000c')}000100080003303901020304`), undefined, 'an unknown family')
  assert.is(mappedOf(`${head('0008')}0020000400010000`), undefined, 'too short for an address')
  assert.is(mappedOf(`${head('0008')}0020ffff00010000`), undefined, 'longer than the message')
})

test('a message that is cut, lengthened, of another type or without the cookie is invalid', () => {
  for (let length = 0; length < answer.length; length++)
    assert.is(decodeStun(answer.subarray(0, length)), undefined)
  assert.is(decodeStun(unhex(`${hexOf(answer)}00`)), undefined)
  for (const [at, value] of [
    [1, 0x11],
    [0, 0x81],
    [4, 0x20],
  ] as const)
    assert.is(decodeStun(answer.with(at, value)), undefined)
})

test('it never throws, whichever byte is changed', () => {
  for (let at = 0; at < answer.length; at++)
    for (let value = 0; value < 256; value++) {
      decodeStun(answer.with(at, value))
      decodeStunStream(answer.with(at, value))
    }
})

test('over TCP an answer is decoded once it is complete', () => {
  for (let length = 0; length < answer.length; length++)
    assert.is(decodeStunStream(answer.subarray(0, length)), undefined)
  assert.equal(decodeStunStream(answer), { message: decodeStun(answer) })
  assert.equal(decodeStunStream(unhex(`${hexOf(answer)}abcd`)), { message: decodeStun(answer) })
})

test('over TCP anything but STUN, and more than 2 KiB, is refused by the header', () => {
  const given = { message: undefined }
  assert.equal(decodeStunStream(new Uint8Array(20)), given)
  assert.equal(decodeStunStream(answer.subarray(0, 20).with(2, 8)), given)
})

test('nodes answer a transaction id, and return it unchanged', () => {
  const id = stunTransactionId(unhex('01020304ffff'))
  assert.is(hexOf(id), 'deadbeef0000000001020304')
  assert.ok(isForNodes(id))
  assert.not(isForNodes(unhex(sampleId)))
  assert.not(isForNodes(unhex('deadbeef')))
})

test('STUN and our datagrams are distinguished', () => {
  for (const { request, answer } of exchanges)
    for (const bytes of [request.bytes, answer.bytes].map(unhex)) {
      assert.ok(isStun(bytes))
      assert.is(decodeDatagram(bytes), undefined)
    }
  for (const { bytes } of transports.udp.datagrams) assert.not(isStun(unhex(bytes)))
})

test.run()
