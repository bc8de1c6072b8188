import type { Profile } from '#internal/protocol/profiles'
import {
  COMMANDS,
  decodePlayer,
  decodePort,
  decodeProfiles,
  decodeProtocols,
  encodePlayer,
  encodePort,
  encodeProfiles,
  encodeProtocols,
} from '#internal/protocol/scaffolding/wire/commands'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { thrownRefusal } from '#support/values/failures'

const test = suite('bodies of the room protocol')

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const host: Profile = { name: 'Alex', machineId: 'a'.repeat(32), vendor: 'X 1', kind: 'HOST' }
const guest: Profile = { name: 'Steve', machineId: 'b'.repeat(32), vendor: 'X 1', kind: 'GUEST' }

/** How bytes are refused. */
const detailOf = (decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array) =>
  thrownRefusal(() => decode(bytes), 'invalid-request').detail

test('ports are two bytes, big-endian, and not 0', () => {
  for (const port of [1, 255, 256, 25_565, 65_535]) assert.is(decodePort(encodePort(port)), port)
  assert.equal(encodePort(25_565), Uint8Array.of(0x63, 0xdd))
  for (const bytes of [[], [1], [0, 0], [0, 1, 2]]) {
    assert.is(detailOf(decodePort, Uint8Array.from(bytes)), 'A port is two bytes and not 0.')
  }
})

test('protocols are joined by NUL; empty names are skipped', () => {
  assert.equal(decodeProtocols(encodeProtocols(COMMANDS)), [...COMMANDS])
  assert.equal(decodeProtocols(new TextEncoder().encode('\0a\0\0b\0')), ['a', 'b'])
  assert.equal(decodeProtocols(new Uint8Array(0)), [])
})

test('a player comes back as it went; other fields are ignored', () => {
  const { kind: _kind, ...player } = guest
  assert.equal(decodePlayer(encodePlayer(player)), player)
  const wire = { name: 'Steve', machine_id: guest.machineId, vendor: 'X 1', kind: 'HOST', more: [1] }
  assert.equal(decodePlayer(text(wire)), player)
})

test('players without a name get one', () => {
  const nameless = { name: ' \0', machine_id: 'x', vendor: '' }
  assert.is(decodePlayer(text(nameless)).name, 'Guest')
  const list = decodeProfiles(
    text([
      { ...nameless, kind: 'HOST' },
      { ...nameless, machine_id: 'y', kind: 'GUEST' },
    ]),
  )
  assert.equal(each(list, 'name'), ['Host', 'Guest'])
})

for (const [name, value, detail] of [
  ['no object', [], 'JSON: must be an object.'],
  ['no name', { machine_id: 'x', vendor: '' }, 'name: must be text.'],
  ['a vendor of a number', { name: 'x', machine_id: 'x', vendor: 1 }, 'vendor: must be text.'],
  [
    'a machine id with a space',
    { name: 'x', machine_id: 'a b', vendor: '' },
    'machine_id: must be 1 to 128 visible ASCII characters.',
  ],
] as const) {
  test(`a player with ${name} is refused in our own words`, () => {
    assert.is(detailOf(decodePlayer, text(value)), detail)
  })
}

test('a list of players comes back as it went; every other kind is a guest', () => {
  assert.equal(decodeProfiles(encodeProfiles([host, guest])), [host, guest])
  const wire = JSON.parse(new TextDecoder().decode(encodeProfiles([host, guest])))
  wire[1].kind = 'LOCAL'
  assert.equal(decodeProfiles(text(wire)), [host, guest])
})

for (const [name, profiles, detail] of [
  ['no host', [guest], 'The list has 0 hosts.'],
  ['two hosts', [host, { ...guest, kind: 'HOST' as const }], 'The list has 2 hosts.'],
  ['one machine twice', [host, guest, guest], 'The list has one machine twice.'],
  [
    'too many players',
    [host, ...Array.from({ length: 256 }, (_, at) => ({ ...guest, machineId: String(at) }))],
    'JSON: must not have more than 256 players.',
  ],
] as const) {
  test(`a list with ${name} is refused`, () => {
    assert.is(detailOf(decodeProfiles, encodeProfiles(profiles)), detail)
  })
}

test('what is not UTF-8 or not JSON is refused', () => {
  const notUtf8 = Uint8Array.of(0x22, 0xff, 0x22)
  for (const decode of [decodePlayer, decodeProfiles, decodeProtocols]) {
    assert.is(detailOf(decode, notUtf8), 'The text is not UTF-8.')
  }
  for (const decode of [decodePlayer, decodeProfiles]) {
    assert.is(detailOf(decode, new TextEncoder().encode('{')), 'The text is not JSON.')
  }
})

test.run()
