import { readLinkEvents } from '#core/room/report/linkEvents'
import { assert, suite } from '#support/runner/suite'

const test = suite('link events in a log')

test('a line that is damaged, or no link event, is left out', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const good = `${at} debug link {"kind":"node","node":2,"isConnected":true}`
  const lines = [
    '',
    'nonsense',
    `${at} info link {"kind":"node","node":2,"isConnected":true}`,
    `${at} debug link {"kind":"node","node":"2","isConnected":true}`,
    `${at} debug link {"kind":"player","player":1,"path":"by-post","relayed":null}`,
    `${at} debug link {"kind":"state","state":"flying","role":null}`,
    `${at} debug link {"kind":"node","node":2,"isConn`,
    good,
  ]
  assert.equal(readLinkEvents(lines), [{ at, kind: 'node', node: 2, isConnected: true }])
})
