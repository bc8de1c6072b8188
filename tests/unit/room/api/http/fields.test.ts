import fc from 'fast-check'
import {
  extraPorts,
  nodes,
  playerName,
  port,
  publicNodes,
  roomCode,
  scaffoldingPort,
} from '#internal/room/api/http/fields'
import { assert, suite } from '../../../../support/runner/suite'
import { assertProperty } from '../../../../support/values/assertProperty'

// What is refused, and how: tests/contract/room/inputCases.ts.
const test = suite('fields of the room API')

test("nodes get their scheme's port, and those of other transports are left out", () => {
  const given = ['TCP://a', 'udp://[::1]:5', 'wss://b.example/', 'quic://c:1', 'https://d/list', 'wg://e:1']
  const expected = ['tcp://a:11010', 'udp://[::1]:5', 'wss://b.example:443', 'https://d:443/list']
  assert.equal(nodes.parse(given), expected)
  assert.equal(publicNodes.parse(given), expected)
  assert.equal([nodes.parse([]), nodes.parse(null), nodes.parse(undefined)], [[], null, undefined])
})

test('no JSON makes a field throw', () => {
  const schemas = [playerName, roomCode, port, scaffoldingPort, nodes, publicNodes, extraPorts]
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

test.run()
