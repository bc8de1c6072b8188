import { MAX_ROOM_NODES, parseNode } from '@lantern-room/protocol'
import { DEFAULT_NODES, isForeignNode, MAX_NODES, nodesOfRoom } from '#internal/room/nodes/nodes'
import { assert, suite } from '#support/runner/suite'

const test = suite('shared nodes of a room')

test('the defaults are written as they are read, and leave room for those of a launcher', () => {
  for (const node of DEFAULT_NODES) assert.is(parseNode(node), node)
  assert.ok(DEFAULT_NODES.length <= MAX_NODES)
  assert.is(DEFAULT_NODES.filter((node) => node.startsWith('https://')).length, 2)
})

test('the configured ones come first, each once, 16 in all', () => {
  assert.equal(nodesOfRoom(['a', 'b']), ['a', 'b'])
  assert.equal(nodesOfRoom(['a', 'b'], ['c', 'a', 'c']), ['a', 'b', 'c'])
  const given = Array.from({ length: 40 }, (_, at) => `n${at}`)
  const nodes = nodesOfRoom(['a'], given)
  assert.equal([nodes.length, nodes[0], nodes.at(-1)], [MAX_ROOM_NODES, 'a', 'n14'])
})

test('addresses of other transports are known, and nonsense is not', () => {
  for (const word of ['wg://a:1', 'QUIC://a', 'txt://list.example.com', 'srv://x', 'faketcp://a:1'])
    assert.ok(isForeignNode(word), word)
  for (const word of ['tcp://a', 'ftp://a', 'wg://', 'wg:///x', 'a', ''])
    assert.not.ok(isForeignNode(word), word)
})

test.run()
