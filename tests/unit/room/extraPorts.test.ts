import { type GivenPort, readExtraPorts, samePort, shownAtHost } from '#core/room/extraPorts'
import { assert, suite } from '#support/runner/suite'

const test = suite('extra ports')

test('names are cleaned, and what is null is absent', () => {
  assert.equal(readExtraPorts([{ name: ' vo\u0000ice ', tcp: null, udp: 24_454 }]), [
    { name: 'voice', tcp: undefined, udp: 24_454 },
  ])
  assert.equal(readExtraPorts([]), [])
})

const WRONG: readonly (readonly [string, readonly GivenPort[]])[] = [
  ['no port at all', [{ name: 'a' }]],
  ['an empty name', [{ name: ' ', tcp: 1 }]],
  ['a port out of range', [{ name: 'a', tcp: 65_536 }]],
  ['a wrong port beside a right one', [{ name: 'a', tcp: 1, udp: 0 }]],
  ['a fraction', [{ name: 'a', udp: 1.5 }]],
  [
    'equal names',
    [
      { name: 'a', tcp: 1 },
      { name: 'a', tcp: 2 },
    ],
  ],
  [
    'equal TCP ports',
    [
      { name: 'a', tcp: 1 },
      { name: 'b', tcp: 1 },
    ],
  ],
  ['too many', Array.from({ length: 17 }, (_, at) => ({ name: `${at}`, tcp: at + 1 }))],
]
for (const [what, given] of WRONG) {
  test(`${what} breaks the rule`, () => assert.is(readExtraPorts(given), undefined))
}

test('TCP and UDP may have the same number', () => {
  const ports = readExtraPorts([
    { name: 'a', tcp: 1 },
    { name: 'b', udp: 1 },
  ])
  assert.is(ports?.length, 2)
})

test('the host shows its own ports as the local ones', () => {
  const port = { name: 'map', tcp: 8123, udp: undefined }
  assert.equal(shownAtHost([port]), [{ ...port, localTcp: 8123, localUdp: undefined }])
})

test('two ports are the same by name and numbers', () => {
  const port = { name: 'map', tcp: 8123, udp: undefined }
  assert.ok(samePort(port, { ...port }))
  assert.not.ok(samePort(port, { ...port, udp: 8123 }))
})

test.run()
