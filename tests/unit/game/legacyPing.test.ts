import * as fc from 'fast-check'
import { legacyPing, readLegacyResponse } from '#internal/game/legacyPing'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { hex } from '#support/values/hex'
import { legacyPacket } from './pingBytes'

const test = suite('legacy ping')

const answer = legacyPacket('§1\x00127\x001.16.5\0§aAlice - World\x003\x0020')

test('it asks with FE 01', () => {
  assert.equal(legacyPing.request({ address: '127.0.0.1', port: 25565 }), hex('fe01'))
})

test('the answer since 1.4 is read', () => {
  assert.equal(readLegacyResponse(answer), {
    by: 'legacy',
    motd: 'Alice - World',
    version: '1.16.5',
    onlinePlayers: 3,
    maxPlayers: 20,
  })
})

test('recorded bytes are read', () => {
  const bytes =
    'ff 0013 00a70031 0000 00340037 0000 0031002e0034 0000 00480069 0000 0030 0000 0035 0030 0030 0030'
  assert.equal(readLegacyResponse(hex(bytes)), {
    by: 'legacy',
    motd: 'Hi',
    version: '1.4',
    onlinePlayers: 0,
    maxPlayers: 5000,
  })
})

test('the answer before 1.4 is read, also where the text has signs of its own', () => {
  const status = { by: 'legacy', version: undefined, onlinePlayers: 2, maxPlayers: 10 }
  assert.equal(readLegacyResponse(legacyPacket('A world§2§10')), { ...status, motd: 'A world' })
  assert.equal(readLegacyResponse(legacyPacket('§cA §lworld§2§10')), { ...status, motd: 'A world' })
})

test('every truncation is partial', () => {
  for (let length = 0; length < answer.length; length++)
    assert.is(readLegacyResponse(answer.subarray(0, length)), 'partial', `${length} bytes`)
})

test('odd numbers are undefined, and the rest is read', () => {
  for (const odd of ['', '-1', 'x', '99999999999', '1.5']) {
    const status = readLegacyResponse(legacyPacket(`§1\x001\x001.5\0x\0${odd}\0${odd}`))
    assert.equal(status, {
      by: 'legacy',
      motd: 'x',
      version: '1.5',
      onlinePlayers: undefined,
      maxPlayers: undefined,
    })
  }
  assert.not.type(readLegacyResponse(legacyPacket('§1\x001\x001.5\0x')), 'string')
})

test('anything else is invalid', () => {
  for (const bytes of ['00', 'fe', '4854', 'ff0000', 'ff0401', 'ffffff'])
    assert.is(readLegacyResponse(hex(bytes)), 'invalid', bytes)
  for (const text of ['Outdated client!', '§1', '§1\x001\x001.5', 'x§y§z', '\0'])
    assert.is(readLegacyResponse(legacyPacket(text)), 'invalid', text)
})

test('1,024 units are read, one more is refused in the header', () => {
  const longest = `${'m'.repeat(1020)}§1§2`
  assert.not.type(readLegacyResponse(legacyPacket(longest)), 'string')
  assert.is(readLegacyResponse(hex('ff0401')), 'invalid')
})

test('any bytes and any mutation are answered, never thrown at', () => {
  assertProperty(
    fc.property(fc.nat(answer.length - 1), fc.nat(255), fc.uint8Array(), (at, byte, noise) => {
      const mutated = answer.slice()
      mutated[at] = byte
      for (const bytes of [mutated, noise]) {
        const status = readLegacyResponse(bytes)
        if (typeof status !== 'string') assert.ok((status.motd?.length ?? 0) <= 512)
      }
    }),
    { numRuns: 1000 },
  )
})

test.run()
