import fc from 'fast-check'
import {
  extraPorts,
  launcherCustomString,
  nodes,
  playerName,
  port,
  publicNodes,
  readInvited,
  readPlayerName,
  roomCode,
  scaffoldingPort,
} from '#core/room/api/http/fields'
import { createInvitation } from '#core/room/invitation'
import { generateRoomCode } from '#core/room/roomCode'
import { createHostIdentity } from '#core/room/scaffolding/identity'
import { assert, suite } from '../../../../support/runner/suite'
import { assertProperty } from '../../../../support/values/assertProperty'
import { thrownRefusal } from '../../../../support/values/failures'

const test = suite('fields of the room API')

type Schema = {
  safeParse(value: unknown): {
    success: boolean
    data?: unknown
    error?: { issues: { message: string }[] } | undefined
  }
}

function problemOf(schema: Schema, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message
}
const read = (schema: Schema, value: unknown) => schema.safeParse(value).data

const NODES_RULE = /^must be up to 64 addresses of shared nodes, such as tcp:/
const PORTS_RULE = /^must be up to 16 ports such as /
const wrong: readonly (readonly [string, Schema, unknown, RegExp])[] = [
  ['name: a number', playerName, 7, /^must be text$/],
  ['name: too long', playerName, 'a'.repeat(257), /^must not be longer than 256 characters$/],
  ['code: too long', roomCode, 'U'.repeat(4097), /^is too long for a room code/],
  ...[0, 65_536, 1.5, '80', null, undefined].map(
    (value) => [`port: ${value}`, port, value, /^must be a port, a whole number from 1 to 65535$/] as const,
  ),
  ...[1024, 65_536, 2000.5, '2000'].map(
    (value) =>
      [`room port: ${value}`, scaffoldingPort, value, /^must be a whole number from 1025 to 65535$/] as const,
  ),
  ['nodes: text', nodes, 'tcp://a:1', NODES_RULE],
  ['nodes: a number in the list', nodes, [1], /^must be the address of a shared node, such as tcp:/],
  ['nodes: no address', nodes, ['tcp://a:1', 'a:1'], NODES_RULE],
  ['nodes: 65 of them', nodes, Array.from({ length: 65 }, (_, i) => `tcp://a:${i + 1}`), NODES_RULE],
  ['extra ports: text', extraPorts, 'voice', PORTS_RULE],
  ['extra ports: text in the list', extraPorts, ['voice'], /^must be a port such as /],
  ['extra ports: no name', extraPorts, [{ tcp: 1 }], /^must be text of at most 32 characters$/],
  ['code: several', roomCode, ['a', 'b'], /^must be given once$/],
  ['extra ports: a port of 0', extraPorts, [{ name: 'a', tcp: 0 }], /^must be a port,/],
  ['extra ports: one name twice', extraPorts, [1, 2].map((tcp) => ({ name: 'a', tcp })), PORTS_RULE],
  ['launcher: a number', launcherCustomString, 7, /^must be text of at most 128 printable characters$/],
]
for (const [what, schema, value, problem] of wrong) {
  test(`refused with what is wanted: ${what}`, () => {
    assert.match(problemOf(schema, value) ?? 'it was accepted', problem)
  })
}

test("nodes get their scheme's port, and those of other transports are left out", () => {
  const given = ['TCP://a', 'udp://[::1]:5', 'wss://b.example/', 'quic://c:1', 'https://d/list', 'wg://e:1']
  const expected = ['tcp://a:11010', 'udp://[::1]:5', 'wss://b.example:443', 'https://d:443/list']
  assert.equal(read(nodes, given), expected)
  assert.equal(read(publicNodes, given), expected)
  assert.equal([read(nodes, []), read(nodes, null), read(nodes, undefined)], [[], null, undefined])
})

test('no JSON makes a field throw', () => {
  const schemas: readonly Schema[] = [
    playerName,
    roomCode,
    port,
    scaffoldingPort,
    nodes,
    publicNodes,
    extraPorts,
  ]
  const entry = fc.record({ name: fc.jsonValue(), tcp: fc.jsonValue(), udp: fc.jsonValue() })
  assertProperty(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.string()), fc.array(entry)), (value) => {
      for (const schema of schemas) {
        const { success, error } = schema.safeParse(value)
        assert.is(success, error === undefined)
        for (const { message } of error?.issues ?? []) assert.match(message, /^(must|is) /)
      }
    }),
    { numRuns: 300 },
  )
})

const room = generateRoomCode()

test('a code alone has no nodes and no key of the host', () => {
  assert.equal(readInvited(` code: ${room.text.toLowerCase()} !`, 'room'), {
    room,
    nodes: [],
    hostKey: undefined,
  })
})

test('an invitation has both', () => {
  const identity = createHostIdentity(new Uint8Array(32).fill(3), room)
  const content = { room, gameVersion: undefined, mods: undefined, name: undefined }
  const { link } = createInvitation({ ...content, nodes: ['tcp://a:1'] }, identity, undefined)
  const { room: read, nodes: found, hostKey } = readInvited(`Come! ${link}`, 'room')
  assert.equal([read, found, hostKey], [room, ['tcp://a:1'], identity.publicKey])
  assert.match(refusal(link.slice(0, -3)), /^code: The invitation is damaged/)
})

const refusal = (text: string) => thrownRefusal(() => readInvited(text, 'code'), 'invalid-request').detail

test('a name is shown on one line, or the fallback is', () => {
  assert.is(readPlayerName(' A\u202Elex\n', 'Player'), 'Alex')
  for (const name of [undefined, null, '', ' \u0000\n ', '\u202E'])
    assert.is(readPlayerName(name, 'Player'), 'Player')
  assert.is(readPlayerName('🏮'.repeat(65), 'Player'), '🏮'.repeat(64))
})

test.run()
