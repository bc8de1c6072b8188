import * as fc from 'fast-check'
import { encodeStatusRequest, flattenText, readStatusResponse } from '#internal/game/modernPing'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { text } from '#support/values/bytes'
import { hex } from '#support/values/hex'
import { statusPacket } from './pingBytes'

const test = suite('server-list ping')

const vanilla = {
  version: { name: '1.20.4', protocol: 765 },
  players: { max: 8, online: 1, sample: [{ name: 'Alice', id: 'x' }] },
  description: { text: 'Alice - ', extra: [{ text: 'New ', bold: true }, 'World'] },
  enforcesSecureChat: true,
}
const nothing = {
  by: 'modern',
  motd: undefined,
  version: undefined,
  onlinePlayers: undefined,
  maxPlayers: undefined,
}
const read = (json: unknown) => readStatusResponse(statusPacket(JSON.stringify(json)))
const motdOf = (description: unknown) => {
  const status = read({ description })
  return typeof status === 'string' ? status : status.motd
}

test('handshake and request are written byte for byte, the port big-endian', () => {
  assert.equal(
    encodeStatusRequest({ address: '127.0.0.1', port: 25565 }),
    // length, id 0, version -1, address, port 63 dd, next state 1; then the request: length 1, id 0
    hex('13 00 ffffffff0f 09 3132372e302e302e31 63dd 01 01 00'),
  )
})

test('the scope of a link-local address is not sent', () => {
  const plain = encodeStatusRequest({ address: 'fe80::1', port: 1 })
  assert.equal(encodeStatusRequest({ address: 'fe80::1%eth0', port: 1 }), plain)
})

test('the answer of a game is read', () => {
  assert.equal(read(vanilla), {
    by: 'modern',
    motd: 'Alice - New World',
    version: '1.20.4',
    onlinePlayers: 1,
    maxPlayers: 8,
  })
})

test('every truncation is partial, and what follows the packet does not matter', () => {
  const whole = statusPacket(JSON.stringify(vanilla))
  for (let length = 0; length < whole.length; length++)
    assert.is(readStatusResponse(whole.subarray(0, length)), 'partial', `${length} bytes`)
  assert.equal(readStatusResponse(Uint8Array.from([...whole, 1, 2, 3])), readStatusResponse(whole))
})

test('a description may be a text or components in every shape', () => {
  assert.is(motdOf('§aplain §ltext'), 'plain text')
  assert.is(motdOf({ text: 'a', extra: ['b', { text: 'c', extra: [{ text: 'd' }] }, 'e'] }), 'abcde')
  assert.is(motdOf(['a', { text: 'b' }, ['c'], { extra: ['d'] }]), 'abcd')
  assert.is(motdOf({ translate: 'multiplayer.motd' }), 'multiplayer.motd')
  assert.is(motdOf({ translate: 'x', fallback: 'A world' }), 'A world')
  assert.is(motdOf({ translate: 'x', fallback: 'A world', text: 't', extra: 'b' }), 't')
  assert.is(motdOf({ text: 7, extra: [true, null, { text: {} }, { nbt: 'x' }] }), '7true')
  assert.is(motdOf('first line\nsecond\tline\u202e\u0000'), 'first line second line')
  assert.is(motdOf({}), '')
  assert.is(motdOf(null), '')
  assert.is(motdOf('§'), '')
})

test('a missing or odd field is undefined, and the rest is read', () => {
  assert.equal(read({}), nothing)
  for (const odd of [null, 7, 'x', [], [1], { name: 7, online: '1', max: -1 }, { online: 1.5, max: 1e99 }])
    assert.equal(read({ version: odd, players: odd }), nothing)
  assert.equal(read({ players: { online: 0, max: 2147483647 } }), {
    ...nothing,
    onlinePlayers: 0,
    maxPlayers: 2147483647,
  })
})

test('texts are bounded', () => {
  const status = read({ version: { name: 'v'.repeat(1000) }, description: '世'.repeat(30_000) })
  assert.ok(typeof status !== 'string')
  assert.is(status.version, 'v'.repeat(64))
  assert.is(status.motd, '世'.repeat(256))
})

for (const [what, bytes] of Object.entries({
  'a length of 0': '00',
  'a negative length': 'ffffffff0f',
  'a length above 512 KiB': '818020',
  'a length of 2 GiB': 'ffffffff07',
  'a length of more than five bytes': '808080808000',
  'another packet': '0901 07 7b7d7b7d7b7d7b',
  'a negative packet id': '0a ffffffff0f 02 7b7d 0000',
  'a text longer than the packet': '04 00 03 7b7d',
  'a text of negative length': '08 00 ffffffff0f 7b7d',
  'a text of nothing': '04 00 00 7b7d',
  HTTP: '485454502f312e3120343030204261642052657175657374',
  'the legacy answer': 'ff000b 00a7 0031 0000',
}))
  test(`invalid: ${what}`, () => assert.is(readStatusResponse(hex(bytes)), 'invalid'))

test('invalid as soon as the header says so, before the text arrives', () => {
  assert.is(readStatusResponse(hex('808020')), 'partial')
  assert.is(readStatusResponse(hex('808120')), 'invalid')
})

test('a text that is no JSON object is invalid', () => {
  for (const json of ['null', '[]', '"x"', '{"a":', '{}}', '[[[[', '77', '\u0000\u0000'])
    assert.is(readStatusResponse(statusPacket(json)), 'invalid', json)
  assert.is(readStatusResponse(statusPacket(hex('fffe7b007d00'))), 'invalid')
})

test('hostile JSON is read in bounded time: deep, wide, long, with odd keys', () => {
  const startedAt = performance.now()
  const deep = `{"description":${'{"extra":['.repeat(20_000)}"x"${']}'.repeat(20_000)}}`
  const nested = `{"description":${'['.repeat(200_000)}"x"${']'.repeat(200_000)}}`
  const wide = JSON.stringify({ description: { extra: Array.from({ length: 100_000 }, () => 'a') } })
  const long = JSON.stringify({ description: '§'.repeat(200_000) })
  for (const json of [deep, nested, wide, long])
    assert.not.type(readStatusResponse(statusPacket(json)), 'undefined')
  assert.is(motdOf({ extra: Array.from({ length: 100_000 }, () => 'a') }), 'a'.repeat(256))
  assert.is(flattenText(Array.from({ length: 5000 }, () => 'x')).length, 1999)
  assert.is(flattenText(Array.from({ length: 100 }, () => 'x'.repeat(1000))).length, 5000)
  assert.ok(performance.now() - startedAt < 60_000)

  const odd =
    '{"__proto__":{"x":1},"constructor":7,"players":{"__proto__":{"online":3},"max":5},"version":{"toString":1}}'
  assert.equal(readStatusResponse(statusPacket(odd)), { ...nothing, maxPlayers: 5 })
  assert.is(({} as { x?: number }).x, undefined)
})

test('any bytes and any mutation are answered, never thrown at', () => {
  const sample = statusPacket(JSON.stringify(vanilla))
  assertProperty(
    fc.property(fc.nat(sample.length - 1), fc.nat(255), fc.uint8Array(), (at, byte, noise) => {
      const mutated = sample.slice()
      mutated[at] = byte
      for (const bytes of [mutated, noise]) {
        const status = readStatusResponse(bytes)
        if (typeof status !== 'string') assert.is(status.by, 'modern')
      }
    }),
    { numRuns: 1000 },
  )
})

test('any JSON is answered', () => {
  assertProperty(
    fc.property(fc.jsonValue(), (value) => {
      read({ description: value, version: value, players: value })
      readStatusResponse(statusPacket(text(JSON.stringify(value))))
    }),
  )
})

test.run()
